// check: safe
// A reference count in the manner of kernels: whoever drops the last reference frees the object.
// check -DUNLOCKED: unsafe assertion
// Without the lock prefix, neither of two threads may find that its reference was the last.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct { int counter; } atomic_t;
#define LOCK_PREFIX                                 \
    ".pushsection .smp_locks,\"a\"\n.balign 4\n"    \
    ".long 671f - .\n.popsection\n671:\n\tlock; "

#ifdef UNLOCKED
#define DROP_PREFIX ""
#else
#define DROP_PREFIX LOCK_PREFIX
#endif

static inline void atomic_inc(atomic_t *v) {
    __asm__ volatile(LOCK_PREFIX "incl %0" : "+m"(v->counter) : : "memory");
}

static inline int atomic_dec_and_test(atomic_t *v) {
    unsigned char c;
    __asm__ volatile(DROP_PREFIX "decl %0; sete %1" : "+m"(v->counter), "=qm"(c) : : "memory");
    return c != 0;
}

struct object {
    atomic_t references;
    int payload;
};

static int freed;

static void put(struct object *o) {
    if (atomic_dec_and_test(&o->references)) {
        freed++;
        free(o);
    }
}

static void *user(void *arg) {
    struct object *o = arg;
    o->payload |= 1;
    put(o);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct object *o = calloc(1, sizeof *o);
    o->references.counter = 1;
    atomic_inc(&o->references);
    pthread_create(&t, NULL, user, o);
    o->payload |= 2;
    put(o);
    pthread_join(t, NULL);
    assert(freed == 1); //~ violation
    return 0;
}
