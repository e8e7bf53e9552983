// check: safe
// args: --engine lazy --rounds 3
// No run of these threads needs another round.
#include <assert.h>
#include <pthread.h>

int x, y;

void *left(void *arg) {
    x = 1;
    return arg;
}

void *right(void *arg) {
    y = x;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 1 && (y == 0 || y == 1));
    return 0;
}
