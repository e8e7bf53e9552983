// check: safe
// pthread_exit deep inside ends the thread and hands its value over.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int after;

void deep(int n) {
    if (n == 0)
        pthread_exit((void *)(intptr_t)17);
    deep(n - 1);
    after = 1;
}

void *worker(void *arg) {
    (void)arg;
    deep(2);
    return NULL;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &r);
    assert((intptr_t)r == 17 && !after);
    return 0;
}
