// check: unsafe assertion
#include <assert.h>
#include <pthread.h>

__thread int flag;

void *worker(void *arg) {
    flag = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(flag == 1); //~ violation
    return 0;
}
