// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// What a thread did before it ended has arrived when it was joined.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y;

void *thread1(void *arg) {
    x = 1;
    y = x + 1;
    return NULL;
}

void *thread2(void *arg) {
    y = 0;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(x == 1 && (y == 0 || y == 2));
    return 0;
}
