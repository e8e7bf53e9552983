// check: safe
// headline lazy tree --memory-model tso: unsafe (assertion at lazy_bytes.c:33)
// headline lazy tree --memory-model pso: unsafe (assertion at lazy_bytes.c:33)
// A load finds each byte in the own buffer or in memory: one of the two from here, one from there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union {
    unsigned short whole;
    unsigned char byte[2];
} u;
unsigned short mine;
unsigned char theirs;

void *first(void *arg) {
    u.byte[0] = 1;
    mine = u.whole;
    return 0;
}

void *second(void *arg) {
    u.byte[1] = 1;
    atomic_thread_fence(memory_order_seq_cst);
    theirs = u.byte[0];
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0), pthread_create(&q, 0, second, 0);
    pthread_join(p, 0), pthread_join(q, 0);
    assert(mine == 0x0101 || theirs == 1); //~ violation
    assert(mine == 0x0001 || mine == 0x0101);
}
