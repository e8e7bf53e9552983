// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// A store to an object that its own thread frees before it arrives is dropped. Nobody can tell.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *shared, y, a, b;

void *thread1(void *arg) {
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    free(mine);
    y = 1;
    a = b;
    return NULL;
}

void *thread2(void *arg) {
    int *mine = malloc(sizeof *mine);
    *mine = 2;
    b = 1;
    a = y;
    if (*mine != 2)
        abort();
    free(mine);
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
