// A test-and-set lock excludes all others.
// The twin: it is given back too early.
#include <assert.h>
#include <pthread.h>

static int flag;
static void take(void) { while (__sync_lock_test_and_set(&flag, 1)); }
static void give(void) { __sync_lock_release(&flag); }

static int inside;
static void *thread(void *arg) {
    take();
    inside = inside + 1;
    assert(inside == 1);
#ifdef TWIN
    give();
    inside = inside - 1;
#else
    inside = inside - 1;
    give();
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
