// check: safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int x;
_Bool flag;
int *top;

void *worker(void *arg) {
    int seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&x, &seen, seen + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    assert(__atomic_add_fetch(&x, 2, __ATOMIC_SEQ_CST) == 4);
    assert(__atomic_fetch_nand(&x, 4, __ATOMIC_SEQ_CST) == 4 && x == ~4);
    assert(!__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST) && flag);
    __atomic_clear(&flag, __ATOMIC_SEQ_CST);
    assert(!flag);
    int *mine = &x;
    assert(__atomic_exchange_n(&top, mine, __ATOMIC_SEQ_CST) == NULL);
    assert(__atomic_load_n(&top, __ATOMIC_SEQ_CST) == &x);
    return 0;
}
