// check: safe
// The destructor runs in the dying thread, for its non-null value, before join returns.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;
int destroyed;

void destroy(void *p) {
    assert(pthread_getspecific(key) == NULL);
    destroyed += *(int *)p;
    free(p);
}

void *worker(void *arg) {
    (void)arg;
    assert(pthread_getspecific(key) == NULL);
    int *p = malloc(sizeof *p);
    *p = 5;
    pthread_setspecific(key, p);
    assert(pthread_getspecific(key) == p);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(destroyed == 5);
    pthread_key_delete(key);
    return 0;
}
