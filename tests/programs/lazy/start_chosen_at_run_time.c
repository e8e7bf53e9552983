// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>

int input(void);
int x;

void *add(void *arg) {
    x += 1;
    return arg;
}

void *twice(void *arg) {
    x *= 2;
    return arg;
}

void *drop(void *arg) {
    x = 0;
    return arg;
}

int main(void) {
    void *(*table[])(void *) = {add, twice, drop};
    pthread_t a, b;
    unsigned i = input(), j = input();
    if (i > 2 || j > 2)
        return 0;
    x = 5;
    pthread_create(&a, NULL, table[i], NULL);
    pthread_create(&b, NULL, table[j], NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x != 12); //~ violation
    return 0;
}
