// check: unsafe memory
// Two threads register the same block; both destructors free it.
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;

void destroy(void *p) {
    free(p); //~ violation
}

void *worker(void *arg) {
    pthread_setspecific(key, arg);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    void *block = malloc(4);
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, block);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
