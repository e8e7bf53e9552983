// check: safe
// A ticket lock in the manner of ck.
// check -DUNLOCKED: unsafe
// Tickets are drawn without the lock prefix.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifdef UNLOCKED
#define LOCK ""
#else
#define LOCK "lock "
#endif
#define CK_CC_INLINE inline __attribute__((always_inline))
static CK_CC_INLINE void ck_pr_stall(void) {
    __asm__ __volatile__("pause" ::: "memory");
}
static CK_CC_INLINE unsigned ck_pr_faa_uint(unsigned *target, unsigned delta) {
    unsigned previous;
    __asm__ __volatile__(LOCK "xaddl %1, %0;"
                         : "+m"(*(unsigned *)target), "=q"(previous)
                         : "1"(delta)
                         : "memory");
    return previous;
}
static CK_CC_INLINE unsigned ck_pr_load_uint(const unsigned *target) {
    unsigned r;
    __asm__ __volatile__("movl %1, %0" : "=q"(r) : "m"(*(const unsigned *)target) : "memory");
    return r;
}
static CK_CC_INLINE void ck_pr_store_uint(unsigned *target, unsigned v) {
    __asm__ __volatile__("movl %1, %0" : "=m"(*(unsigned *)target) : "iq"(v) : "memory");
}
static CK_CC_INLINE _Bool ck_pr_cas_uint(unsigned *target, unsigned compare, unsigned set) {
    _Bool z;
    __asm__ __volatile__("lock cmpxchgl %3, %0"
                         : "+m"(*(unsigned *)target), "=@ccz"(z), "+a"(compare)
                         : "q"(set)
                         : "memory", "cc");
    return z;
}
static CK_CC_INLINE void ck_pr_fence_acquire(void) {
    __asm__ __volatile__("" ::: "memory");
}
struct ck_spinlock_ticket {
    unsigned next, position;
};
static struct ck_spinlock_ticket lock;
static int counter;
static unsigned ok;
static void lock_(struct ck_spinlock_ticket *t) {
    unsigned r = ck_pr_faa_uint(&t->next, 1);
    while (ck_pr_load_uint(&t->position) != r)
        ck_pr_stall();
    ck_pr_fence_acquire();
}
static void unlock_(struct ck_spinlock_ticket *t) {
    unsigned u = ck_pr_load_uint(&t->position);
    ck_pr_store_uint(&t->position, u + 1);
}
static void *th(void *a) {
    for (int i = 0; i < 2; i++) {
        lock_(&lock);
        counter++;
        unlock_(&lock);
    }
    while (!ck_pr_cas_uint(&ok, ck_pr_load_uint(&ok), 1))
        ck_pr_stall();
    return NULL;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, th, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(counter == 4);
    return 0;
}
