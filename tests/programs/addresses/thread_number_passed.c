// check: unsafe assertion
#include <assert.h>
#include <pthread.h>

static void *work(void *arg) { return arg; }

static void *compare(void *earlier) {
    assert((pthread_t)earlier != pthread_self()); //~ violation
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_join(one, 0);
    pthread_create(&two, 0, compare, (void *)one);
    pthread_join(two, 0);
    return 0;
}
