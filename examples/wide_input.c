// A checksum of two inputs, updated by two threads with a compare-and-swap that forgets to look again.
//
//     selvedge check examples/wide_input.c
//
// What to look for: the inputs. There are 2 to the 64 of them, far too many to try; a solver finds two that go wrong.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern unsigned __VERIFIER_nondet_uint(void);

static atomic_uint sum;

static void *add(void *arg) {
    unsigned before = sum, value = *(unsigned *)arg;
    if (!atomic_compare_exchange_strong(&sum, &before, before ^ value * 2654435761u))
        sum = before ^ value;
    return NULL;
}

int main(void) {
    pthread_t one, other;
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    pthread_create(&one, NULL, add, &a);
    pthread_create(&other, NULL, add, &b);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(sum != 0x5e1ed6e);
    return 0;
}
