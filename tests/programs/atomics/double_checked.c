// check: safe
// Double-checked locking as it should be: the pointer is atomic, and published when the object is ready.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config {
    int value;
} storage;
_Atomic(struct config *) instance;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int made;

static struct config *get(void) {
    struct config *p = atomic_load_explicit(&instance, memory_order_acquire);
    if (!p) {
        pthread_mutex_lock(&m);
        p = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!p) {
            p = &storage;
            p->value = 42;
            made++;
            atomic_store_explicit(&instance, p, memory_order_release);
        }
        pthread_mutex_unlock(&m);
    }
    return p;
}

void *worker(void *arg) {
    assert(get()->value == 42);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    assert(get()->value == 42);
    pthread_join(t, NULL);
    assert(made == 1);
    return 0;
}
