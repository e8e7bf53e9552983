// check: safe
// A ring with one producer and one consumer, and barriers of inline assembly.
// check -DOVERWRITTEN: unsafe assertion
// The producer takes a full ring for one with a free place.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define smp_mb() __asm__ __volatile__("mfence" ::: "memory")
#define smp_wmb() __asm__ __volatile__("" ::: "memory")
#define cpu_relax() __asm__ __volatile__("pause" ::: "memory")
#define unlikely(x) __builtin_expect(!!(x), 0)
struct ring {
    volatile uint32_t head __attribute__((aligned(64)));
    volatile uint32_t tail __attribute__((aligned(64)));
    uint32_t mask;
    void *buf[];
};
static struct ring *ring_new(uint32_t n) {
    struct ring *r = NULL;
    if (posix_memalign((void **)&r, 64, sizeof *r + n * sizeof(void *)))
        assert(0);
    r->head = r->tail = 0;
    r->mask = n - 1;
    return r;
}
static int ring_put(struct ring *r, void *p) {
    uint32_t h = r->head;
#ifdef OVERWRITTEN
    if (h - r->tail > r->mask + 1)
#else
    if (h - r->tail > r->mask)
#endif
        return -1;
    r->buf[h & r->mask] = p;
    smp_wmb();
    r->head = h + 1;
    return 0;
}
static void *ring_get(struct ring *r) {
    uint32_t t = r->tail;
    if (t == r->head)
        return NULL;
    void *p = r->buf[t & r->mask];
    smp_mb();
    r->tail = t + 1;
    return p;
}
static struct ring *r;
static int vals[4];
static void *prod(void *a) {
    for (int i = 0; i < 4; i++) {
        vals[i] = i + 1;
        while (ring_put(r, &vals[i]))
            cpu_relax();
    }
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t t;
    r = ring_new(2);
    if (pthread_create(&t, NULL, prod, NULL)) {
        perror("pthread_create");
        return 1;
    }
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int *p;
        while (!(p = ring_get(r)))
            cpu_relax();
        sum += *p;
    }
    pthread_join(t, NULL);
    free(r);
    if (unlikely(sum != 10)) {
        fprintf(stderr, "bad sum %d\n", sum);
        assert(0);
    }
    return 0;
}
