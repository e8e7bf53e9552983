// check: safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

void *square(void *arg) {
    intptr_t n = (intptr_t)arg;
    return (void *)(n * n);
}

int main(void) {
    pthread_t t[2];
    void *r[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, square, (void *)(i + 3));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &r[i]);
    assert((intptr_t)r[0] == 9 && (intptr_t)r[1] == 16);
    return 0;
}
