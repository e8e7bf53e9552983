// As many increments as threads, some of them lost.
// The twin: one thread more is created.
#include <assert.h>
#include <pthread.h>

static int x;
static void *watch(void *arg) {
    assert(x <= 30);
    return 0;
}
static void *thread(void *arg) {
    x++;
    return 0;
}
#ifdef TWIN
#define LAST 31
#else
#define LAST 30
#endif
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, watch, 0);
    for (int i = 0; i < LAST; i++) pthread_create(&t, 0, thread, 0);
}
