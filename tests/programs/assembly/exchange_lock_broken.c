// check: unsafe assertion
// cmpxchg without the lock prefix is a load and a store.
#include <assert.h>
#include <pthread.h>

static inline _Bool take(volatile long *p) {
    long old = 0;
    unsigned char taken;
    __asm__ volatile("cmpxchgq %3, %0; setz %1" : "+m"(*p), "=q"(taken), "+a"(old) : "r"(1l) : "memory", "cc");
    return taken;
}

static volatile long word;
static int inside;

static void *work(void *arg) {
    if (take(&word)) {
        inside++;
        assert(inside == 1); //~ violation
        inside--;
        word = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
