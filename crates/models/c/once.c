/* One-time initialisation: 0 not begun (PTHREAD_ONCE_INIT), 1 running, 2 done. Threads that come while
 * the routine runs wait for its end; a routine that asks for its own once object waits for ever.
 * A routine that does not return (cancelled, pthread_exit) leaves the others waiting. */
#include "internal.h"

static int run_once(int *once, void (*routine)(void)) {
    __selvedge_atomic_begin();
    __selvedge_block_until(*once != 1);
    _Bool mine = *once == 0;
    if (mine)
        *once = 1;
    __selvedge_atomic_end();
    if (mine) {
        routine();
        *once = 2;
    }
    return 0;
}

int pthread_once(int *once, void (*routine)(void)) {
    return run_once(once, routine);
}
