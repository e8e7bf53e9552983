// check: HEAD
// A byte waits in the buffer, and the word around it is read: three bytes come from memory.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union {
    unsigned word;
    unsigned char bytes[4];
} u;
unsigned a;
int y, b;

void *thread1(void *arg) {
    u.bytes[1] = 1;
    a = u.word;
    b = y;
    return NULL;
}

void *thread2(void *arg) {
    u.bytes[0] = 2;
    y = 1;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(a == 0x100 && b == 1 && u.word == 0x102));
    return 0;
}
