// The only check is made, and constants show that it holds: nobody writes the divisor.
// check: safe
// args: --property arithmetic
// headline explicit: safe
// headline lazy tree --unwind 2: safe within bounds (unwind 2 cut)
// headline cbmc --unwind 2: safe within bounds (unwind 2 cut, rounds 3)
#include <pthread.h>

int three = 3, result;

void *worker(void *arg) {
    while (1)
        result = result / three;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
