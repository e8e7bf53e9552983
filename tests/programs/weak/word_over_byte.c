// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// Stores that overlap arrive in order, whatever their sizes: no half of the first is left.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union {
    unsigned word;
    unsigned char bytes[4];
} u;
unsigned a;

void *thread1(void *arg) {
    u.bytes[1] = 7;
    u.word = 0x01010101;
    u.bytes[3] = 2;
    return NULL;
}

void *thread2(void *arg) {
    a = u.word;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(u.word == 0x02010101 && (a == 0 || a == 0x700 || a == 0x01010101 || a == 0x02010101));
    return 0;
}
