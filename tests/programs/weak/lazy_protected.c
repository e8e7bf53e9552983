// check: safe
// headline lazy tree --memory-model tso: safe
// headline lazy tree --memory-model pso: safe
// What a mutex protects is in memory when it is given back.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x, y, a, b;

void *first(void *arg) {
    pthread_mutex_lock(&mutex);
    x = 1;
    a = y;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *second(void *arg) {
    pthread_mutex_lock(&mutex);
    y = 1;
    b = x;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a || b);
}
