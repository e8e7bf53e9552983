// check: unsafe memory
// headline explicit --memory-model tso: unsafe (memory at freed_by_another.c:11)
// headline explicit --memory-model pso: unsafe (memory at freed_by_another.c:11)
// A store is checked when it is made, not when it arrives: another thread may have freed the object by then.
#include <pthread.h>
#include <stdlib.h>

int *shared;

void *thread1(void *arg) {
    *shared = 1; //~ violation
    return NULL;
}

void *thread2(void *arg) {
    free(shared);
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    shared = malloc(sizeof *shared);
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
