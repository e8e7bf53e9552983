// Who waits for a flag goes on after it only.
// The twin: the wait is for another flag.
#include <assert.h>
#include <pthread.h>

static int go, other, data;
static void *worker(void *arg) {
#ifdef TWIN
    while (!other);
#else
    while (!go);
#endif
    assert(data == 1);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    other = 1;
    data = 1;
    go = 1;
    for (;;) pthread_create(&t, 0, worker, 0);
}
