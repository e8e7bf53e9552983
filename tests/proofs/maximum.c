// A maximum by compare-and-swap is at least what was put in.
// The twin: it is written without a look.
#include <assert.h>
#include <pthread.h>

static int most;
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    int mine = __VERIFIER_nondet_int();
    for (;;) {
        int seen = most;
        if (mine <= seen) break;
#ifdef TWIN
        most = mine;
        break;
#else
        if (__sync_bool_compare_and_swap(&most, seen, mine)) break;
#endif
    }
    assert(mine <= most);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
