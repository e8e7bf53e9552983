// A number goes down and up again, by those who hold the lock.
// The twin: it may go down twice.
#include <assert.h>
#include <pthread.h>

static int flag, level = 1;
static void take(void) { while (__sync_lock_test_and_set(&flag, 1)); }
static void give(void) { __sync_lock_release(&flag); }
static void *watch(void *arg) {
    for (;;) assert(level >= 0);
}
static void *thread(void *arg) {
    take();
#ifdef TWIN
    give();
#endif
    __sync_fetch_and_sub(&level, 1);
    __sync_fetch_and_add(&level, 1);
#ifndef TWIN
    give();
#endif
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, watch, 0);
    for (;;) pthread_create(&t, 0, thread, 0);
}
