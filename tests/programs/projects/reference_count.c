// check: safe
// A reference count of lock xadd.
// check -DLATE: unsafe memory
// The new thread's reference is taken after the thread was created.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct {
    volatile int refs;
    char name[16];
} obj_t;
static inline int xadd(volatile int *p, int v) {
    int r = v;
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(r), "+m"(*p) : : "memory", "cc");
    return r;
}
static obj_t *obj_new(const char *n) {
    obj_t *o = malloc(sizeof *o);
    o->refs = 1;
    snprintf(o->name, sizeof o->name, "%s", n);
    return o;
}
static void obj_get(obj_t *o) {
    xadd(&o->refs, 1);
}
static void obj_put(obj_t *o) {
    if (xadd(&o->refs, -1) == 1) {
        memset(o, 0xdd, sizeof *o);
        free(o);
    }
}
static void *user(void *p) {
    obj_t *o = p;
    if (o->name[0] != 'o')
        assert(0);
    obj_put(o);
    return NULL;
}
int main(void) {
    obj_t *o = obj_new("object");
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {
#ifdef LATE
        pthread_create(&t[i], NULL, user, o);
        obj_get(o);
#else
        obj_get(o);
        pthread_create(&t[i], NULL, user, o);
#endif
    }
    obj_put(o);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
