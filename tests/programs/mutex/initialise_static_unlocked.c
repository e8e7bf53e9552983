// check: safe
// headline explicit lazy tree: safe
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void prepare(void) { pthread_mutex_init(&m, 0); }

int main(void) {
    pthread_t t;
    prepare();
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
