// A counter by compare-and-swap grows.
// The twin: another thread comes between the comparison and the write.
#include <assert.h>
#include <pthread.h>

static unsigned value;
static void *thread(void *arg) {
    unsigned old;
    do {
        old = value;
        if (old == -1u) return 0;
#ifdef TWIN
        if (value == old) { value = old + 1; break; }
    } while (1);
#else
    } while (!__sync_bool_compare_and_swap(&value, old, old + 1));
#endif
    assert(old < value);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
