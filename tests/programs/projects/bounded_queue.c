// check: safe
// headline explicit -DBUG: unsafe (assertion at bounded_queue.c:93)
// lazy: skip the searches of many engines would take minutes
// Vyukov's bounded queue for many producers and consumers. Planted: the cell is given away before it is filled.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <pthread.h>
#include <sched.h>
#include <assert.h>

struct cell { _Atomic size_t seq; uintptr_t data; };
struct queue {
    struct cell *buf; size_t mask;
    _Alignas(64) _Atomic size_t enq;
    _Alignas(64) _Atomic size_t deq;
};

static void q_init(struct queue *q, size_t n)
{
    assert(n >= 2 && (n & (n - 1)) == 0);
    q->buf = calloc(n, sizeof *q->buf);
    q->mask = n - 1;
    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&q->buf[i].seq, i, memory_order_relaxed);
    atomic_store(&q->enq, 0);
    atomic_store(&q->deq, 0);
}
static bool q_push(struct queue *q, uintptr_t v)
{
    struct cell *c;
    size_t pos = atomic_load_explicit(&q->enq, memory_order_relaxed);
    for (;;) {
        c = &q->buf[pos & q->mask];
        size_t seq = atomic_load_explicit(&c->seq, memory_order_acquire);
        intptr_t dif = (intptr_t)seq - (intptr_t)pos;
        if (dif == 0) {
            if (atomic_compare_exchange_weak_explicit(&q->enq, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed))
                break;
        } else if (dif < 0)
            return false;
        else
            pos = atomic_load_explicit(&q->enq, memory_order_relaxed);
    }
#ifdef BUG
    atomic_store_explicit(&c->seq, pos + 1, memory_order_release);
    c->data = v;
#else
    c->data = v;
    atomic_store_explicit(&c->seq, pos + 1, memory_order_release);
#endif
    return true;
}
static bool q_pop(struct queue *q, uintptr_t *v)
{
    struct cell *c;
    size_t pos = atomic_load_explicit(&q->deq, memory_order_relaxed);
    for (;;) {
        c = &q->buf[pos & q->mask];
        size_t seq = atomic_load_explicit(&c->seq, memory_order_acquire);
        intptr_t dif = (intptr_t)seq - (intptr_t)(pos + 1);
        if (dif == 0) {
            if (atomic_compare_exchange_weak_explicit(&q->deq, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed))
                break;
        } else if (dif < 0)
            return false;
        else
            pos = atomic_load_explicit(&q->deq, memory_order_relaxed);
    }
    *v = c->data;
    atomic_store_explicit(&c->seq, pos + q->mask + 1, memory_order_release);
    return true;
}

static struct queue q;
static _Atomic unsigned long sum;
static void *producer(void *a)
{
    uintptr_t base = (uintptr_t)a;
    for (int i = 0; i < 2; i++)
        while (!q_push(&q, base + i))
            sched_yield();
    return NULL;
}
static void *consumer(void *a)
{
    (void)a;
    for (int i = 0; i < 2; i++) {
        uintptr_t v;
        while (!q_pop(&q, &v))
            sched_yield();
        assert(v != 0);
        sum += v;
    }
    return NULL;
}
int main(void)
{
    pthread_t p[2], c[2];
    q_init(&q, 2);
    for (int i = 0; i < 2; i++) {
        pthread_create(&p[i], NULL, producer, (void *)(uintptr_t)(10 * (i + 1)));
        pthread_create(&c[i], NULL, consumer, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(p[i], NULL);
        pthread_join(c[i], NULL);
    }
    assert(sum == 10 + 11 + 20 + 21);
    free(q.buf);
    return 0;
}
