// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int shared;

void *worker(void *arg) {
    (void)arg;
    return (void *)(intptr_t)++shared;
}

int main(void) {
    pthread_t t[2];
    void *r[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &r[i]);
    assert((intptr_t)r[0] < (intptr_t)r[1]); //~ violation
    return 0;
}
