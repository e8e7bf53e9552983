// check: safe
// headline lazy tree --memory-model tso --unwind 2: safe within bounds (unwind 2 cut)
// headline lazy tree --memory-model pso --unwind 2: unsafe (assertion at lazy_plain_unlock.c:23)
// args: --unwind 2
// A lock that is taken with an exchange and given back by a plain store: under PSO that overtakes what the lock protects.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data, copy;
int word;

void take(void) {
    while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
        ;
}

void *user(void *arg) {
    take();
    data = data + 1;
    int mine = data;
    copy = mine;
    assert(data == copy); //~ violation
    word = 0;
    return 0;
}

int main(void) {
    pthread_t p;
    pthread_create(&p, 0, user, 0);
    user(0);
    pthread_join(p, 0);
}
