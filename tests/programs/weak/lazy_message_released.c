// check: safe
// headline lazy tree --memory-model pso: safe
// The flag is a release store, and in the other half a release fence comes before it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int message, other;
atomic_int flag;
int ready, seen, found, seen_other, found_other;

void *sender(void *arg) {
    message = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    other = 1;
    atomic_thread_fence(memory_order_release);
    ready = 1;
    return 0;
}

void *receiver(void *arg) {
    seen = atomic_load_explicit(&flag, memory_order_acquire);
    found = message;
    return 0;
}

void *other_receiver(void *arg) {
    seen_other = ready;
    found_other = other;
    return 0;
}

int main(void) {
    pthread_t p, q, r;
    pthread_create(&p, 0, sender, 0);
    pthread_create(&q, 0, receiver, 0);
    pthread_create(&r, 0, other_receiver, 0);
    pthread_join(p, 0), pthread_join(q, 0), pthread_join(r, 0);
    assert(!seen || found);
    assert(!seen_other || found_other);
}
