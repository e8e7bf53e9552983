// A thread's variable is gone when the thread has ended.
// check: unsafe memory
// headline explicit lazy tree swarm: unsafe (memory at used_after_its_thread.c:21)
// headline cbmc --unwind 1: unknown (not supported: the thread-local `mine`, used when its thread may have ended at used_after_its_thread.c:8)
#include <assert.h>
#include <pthread.h>

_Thread_local int mine;

void *worker(void *arg) {
    (void)arg;
    mine = 3;
    return &mine;
}

int main(void) {
    pthread_t t;
    void *theirs;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &theirs);
    assert(*(int *)theirs == 3); //~ violation
    return 0;
}
