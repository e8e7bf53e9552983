// Main waits before it looks.
// The twin: it does not wait.
#include <assert.h>
#include <pthread.h>

static int done;
static void *worker(void *arg) {
    for (int i = 0; i < 100000; i++);
    done = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
#ifndef TWIN
    pthread_join(t, 0);
#endif
    assert(done == 1);
}
