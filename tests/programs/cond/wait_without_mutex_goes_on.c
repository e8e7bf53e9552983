// check: unsafe assertion
// args: --property assertion
// The waiter releases a mutex that main holds. Only assertions are asked for.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *waiter(void *arg) {
    pthread_cond_wait(&c, &m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, waiter, NULL);
    assert(pthread_mutex_trylock(&m) != 0); //~ violation
    return 0;
}
