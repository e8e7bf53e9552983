// check: safe
// A lock of xchg and pause, and one of cmpxchg; xchg with memory is locked by itself.
#include <assert.h>
#include <pthread.h>

static inline int exchange(volatile int *p, int v) {
    __asm__ volatile("xchgl %0, %1" : "=r"(v), "+m"(*p) : "0"(v) : "memory");
    return v;
}

static inline int compare_exchange(volatile int *p, int old, int new) {
    int before;
    __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(before), "+m"(*p) : "r"(new), "0"(old) : "memory");
    return before;
}

static inline void relax(void) { __asm__ volatile("rep; nop" ::: "memory"); }

static volatile int outer, inner;
static int data, inside;

static void *work(void *arg) {
    while (exchange(&outer, 1))
        relax();
    data++;
    __asm__ volatile("" ::: "memory");
    outer = 0;
    if (compare_exchange(&inner, 0, 7) == 0) {
        inside++;
        assert(inside == 1);
        inside--;
        __asm__ volatile("movl $0, %0" : "=m"(inner) : : "memory");
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(data == 2);
    return 0;
}
