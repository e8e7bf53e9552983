#include "selvedge.h"

/* What a program calls where it gets on, for --livelock: a bit that changes again and again in exactly the runs
 * that make progress again and again. Other checks need no such bit, and have fewer states without it. */

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
