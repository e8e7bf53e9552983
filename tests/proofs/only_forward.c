// A state goes forward only.
// The twin: somebody sets it back.
#include <assert.h>
#include <pthread.h>

static int state;
static void *thread(void *arg) {
    int seen = state;
    __sync_bool_compare_and_swap(&state, 0, 1);
#ifdef TWIN
    __sync_bool_compare_and_swap(&state, 2, 1);
#endif
    __sync_bool_compare_and_swap(&state, 1, 2);
    assert(seen <= state);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
