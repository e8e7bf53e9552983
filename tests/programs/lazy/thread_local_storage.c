// check: safe
// args: --engine lazy
#include <assert.h>
#include <pthread.h>

_Thread_local int mine;

void *worker(void *arg) {
    mine = 5;
    return arg;
}

int main(void) {
    pthread_t t;
    mine = 1;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(mine == 1);
    return 0;
}
