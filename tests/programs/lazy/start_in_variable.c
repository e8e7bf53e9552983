// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>

int x;
void *(*start)(void *);

void *add(void *arg) {
    x += 1;
    return arg;
}

void *set(void *arg) {
    x = 10;
    return arg;
}

int main(void) {
    pthread_t t;
    start = add;
    start = set;
    pthread_create(&t, NULL, start, NULL);
    pthread_join(t, NULL);
    assert(x != 10); //~ violation
    return 0;
}
