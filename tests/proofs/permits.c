// Permits are taken one by one.
// The twin: the question and the taking are two steps.
#include <assert.h>
#include <pthread.h>

static int permits = 3;
static void *thread(void *arg) {
    int seen;
    do {
        seen = permits;
        if (seen <= 0) return 0;
#ifdef TWIN
        __sync_fetch_and_sub(&permits, 1);
        break;
    } while (1);
#else
    } while (!__sync_bool_compare_and_swap(&permits, seen, seen - 1));
#endif
    assert(permits >= 0);
    __sync_fetch_and_add(&permits, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
