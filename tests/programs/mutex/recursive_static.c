// check: safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int depth(int n) {
    pthread_mutex_lock(&m);
    int r = n == 0 ? 0 : 1 + depth(n - 1);
    pthread_mutex_unlock(&m);
    return r;
}

int main(void) {
    assert(depth(3) == 3);
    assert(pthread_mutex_trylock(&m) == 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return 0;
}
