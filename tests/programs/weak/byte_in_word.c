// check: safe
// headline explicit --memory-model tso: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model tso --no-merging: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model tso --supersteps: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model tso --reduction sleep: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model pso: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model pso --no-merging: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model pso --supersteps: unsafe (assertion at byte_in_word.c:39)
// headline explicit --memory-model pso --reduction sleep: unsafe (assertion at byte_in_word.c:39)
// A byte waits in the buffer, and the word around it is read: three bytes come from memory.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union {
    unsigned word;
    unsigned char bytes[4];
} u;
unsigned a, b;

void *thread1(void *arg) {
    u.bytes[1] = 1;
    a = u.word;
    return NULL;
}

void *thread2(void *arg) {
    u.bytes[0] = 2;
    b = u.word;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(a == 0x102 || b == 0x102);
    return 0;
}
