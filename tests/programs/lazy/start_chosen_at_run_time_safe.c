// check: safe
// args: --engine lazy
#include <assert.h>
#include <pthread.h>

int input(void);
int x;

void *one(void *arg) {
    x = 1;
    return arg;
}

void *two(void *arg) {
    x = 2;
    return arg;
}

int main(void) {
    pthread_t t;
    int chosen = input() != 0;
    pthread_create(&t, NULL, chosen ? one : two, NULL);
    pthread_join(t, NULL);
    assert(x == (chosen ? 1 : 2));
    return 0;
}
