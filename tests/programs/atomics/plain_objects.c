// check: safe
// gcc lets the functions of stdatomic.h work on plain objects, and on pointers that it scales.
#include <assert.h>
#include <stdatomic.h>
#include <pthread.h>

static int count;
static char *next, bytes[4];
static _Atomic(char *) end = bytes;

static void *work(void *arg) {
    atomic_fetch_add(&count, 1);
    atomic_fetch_add_explicit(&end, 1, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t t;
    int expected = 2;
    atomic_store(&next, bytes);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(count == 2 && end == bytes + 2 && atomic_load(&next) == bytes);
    assert(atomic_compare_exchange_strong(&count, &expected, 5) && atomic_exchange(&count, 6) == 5);
    return 0;
}
