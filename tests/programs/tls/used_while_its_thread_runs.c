// Another thread may use the variable as long as its thread has not ended.
// check: safe
// headline explicit lazy tree: safe
#include <assert.h>
#include <pthread.h>

_Thread_local int mine;

void *helper(void *arg) {
    *(int *)arg = 3;
    return NULL;
}

void *worker(void *arg) {
    pthread_t t;
    (void)arg;
    pthread_create(&t, NULL, helper, &mine);
    pthread_join(t, NULL);
    assert(mine == 3);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
