// check: safe
// Each thread counts in its own variable, whichever way it is declared.
#include <assert.h>
#include <pthread.h>

_Thread_local int mine = 10;
static __thread int other;

void *worker(void *arg) {
    (void)arg;
    assert(mine == 10 && other == 0);
    mine++;
    other += 2;
    assert(mine == 11 && other == 2);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(mine == 11);
    return 0;
}
