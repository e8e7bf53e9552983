// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// One thread writes a whole, another one half of it.
#include <assert.h>
#include <pthread.h>

union { unsigned whole; unsigned short half[2]; } shared;

void *whole(void *arg) {
    shared.whole = 0x11112222;
    return arg;
}

void *half(void *arg) {
    shared.half[1] = 0x3333;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, whole, NULL);
    pthread_create(&b, NULL, half, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(shared.whole != 0x33332222); //~ violation
    return 0;
}
