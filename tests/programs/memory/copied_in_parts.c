// Copies of parts of a number, which others write as a whole and as bytes.
// check: safe
// headline explicit lazy tree: safe
// headline lazy --unwind 9 --rounds 2: safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

union {
    uint64_t whole;
    uint8_t bytes[8];
} shared;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int between;

void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    shared.whole = 0x0101010101010101;
    pthread_mutex_unlock(&lock);
    between = 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 8; i++)
        shared.bytes[i] = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    uint64_t whole;
    uint32_t middle;
    uint8_t three[3];
    pthread_create(&t, 0, writer, 0);
    pthread_mutex_lock(&lock);
    memcpy(&whole, &shared, 8);
    memcpy(&middle, shared.bytes + 2, 4);
    memcpy(three, shared.bytes + 5, 3);
    uint8_t all = shared.bytes[5];
    pthread_mutex_unlock(&lock);
    int seen = between;
    assert(whole == 0x0101010101010101 * all && middle == 0x01010101u * all);
    assert(three[0] == all && three[2] == all);
    assert(seen || all < 2 || between);
    return 0;
}
