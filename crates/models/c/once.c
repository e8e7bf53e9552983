/* One-time initialisation: 0 not begun (PTHREAD_ONCE_INIT), 2 done, else running: 1 | (thread + 1) << 2. Threads that
 * come while the routine runs wait for its end; a routine that asks for its own once object waits for ever.
 * A routine that its thread leaves by being cancelled, or by pthread_exit, has not begun (see threads.c). */
#include "internal.h"
#include "threads.c"

static void run_noted(int *once, void (*routine)(void)) {
    struct once_running running = {once, selvedge_me.cleanup, selvedge_once_running};
    selvedge_once_running = &running;
    routine();
    selvedge_once_running = running.next;
}

static int run_once(int *once, void (*routine)(void)) {
    __selvedge_atomic_begin();
    int state = *once;
    if (state & 1) {
        __selvedge_waits_for(once, (state >> 2) - 1);
        __selvedge_block_until(0);
    }
    _Bool mine = state == 0;
    if (mine)
        *once = 1 | (int)my_id() << 2;
    __selvedge_atomic_end();
    if (mine) {
        if (__selvedge_reached_pthread_cancel || __selvedge_reached_pthread_exit || __selvedge_reached_thrd_exit)
            run_noted(once, routine);
        else
            routine();
        __atomic_store_n(once, 2, __ATOMIC_SEQ_CST);
    }
    return 0;
}

int pthread_once(int *once, void (*routine)(void)) {
    return run_once(once, routine);
}
