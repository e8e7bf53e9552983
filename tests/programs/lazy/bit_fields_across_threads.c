// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// Neighbours in one word: a write of one is a read and a write of both.
#include <assert.h>
#include <pthread.h>

struct { unsigned mine : 4; unsigned yours : 4; } f;

void *worker(void *arg) {
    f.yours = 9;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    f.mine = 3;
    pthread_join(t, NULL);
    assert(f.mine == 3 && f.yours == 9); //~ violation
    return 0;
}
