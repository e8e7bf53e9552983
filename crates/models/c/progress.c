#include "selvedge.h"

/* Called by a program where it makes progress, for --livelock: a bit that changes infinitely often in exactly the runs
 * that make progress infinitely often. Other checks need no such bit, and have fewer states without it. */

int __selvedge_option_livelock = 0;
static _Bool progressed;

void selvedge_progress(void)
{
    if (__selvedge_option_livelock) {
        __selvedge_atomic_begin();
        progressed = !progressed;
        __selvedge_atomic_end();
    }
}

int __selvedge_progressed(void)
{
    return progressed;
}
