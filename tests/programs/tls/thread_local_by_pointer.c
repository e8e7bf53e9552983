// check: unsafe assertion
// A thread's variable is its own, but a pointer to it can be handed on.
#include <assert.h>
#include <pthread.h>

_Thread_local int mine;

void *worker(void *arg) {
    *(int *)arg = 1;
    assert(mine == 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, &mine);
    assert(mine == 0); //~ violation
    pthread_join(t, NULL);
    return 0;
}
