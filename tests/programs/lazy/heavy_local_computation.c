// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 4
// What nobody else sees is encoded once, however many rounds there are.
#include <assert.h>
#include <pthread.h>

unsigned input(void);
unsigned hash;

static unsigned mix(unsigned x) {
    for (int i = 0; i < 8; i++)
        x = (x << 5 | x >> 27) ^ (x + 0x9e37 * i);
    return x;
}

void *worker(void *arg) {
    hash = mix(input()) & 0xff;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    assert(hash != 0x5a); //~ violation
    return 0;
}
