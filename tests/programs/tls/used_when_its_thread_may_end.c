// The thread does not wait for who writes to its variable.
// check: unsafe memory
// headline explicit lazy tree swarm: unsafe (memory at used_when_its_thread_may_end.c:9)
#include <pthread.h>

_Thread_local int mine;

void *helper(void *arg) {
    *(int *)arg = 3; //~ violation
    return NULL;
}

void *worker(void *arg) {
    pthread_create(arg, NULL, helper, &mine);
    return NULL;
}

int main(void) {
    pthread_t t, other;
    pthread_create(&t, NULL, worker, &other);
    pthread_join(t, NULL);
    pthread_join(other, NULL);
    return 0;
}
