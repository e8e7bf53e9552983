// check: safe
// assumption: `start_thread` (thread_of_unknown_call.c:15) has no model: it returns any value and has no other effect
// assumption: `start_thread`, which has no body, neither calls `work`, which it is passed, nor starts a thread that does
// A thread that a function without a body would start never runs, which is said.
#include <assert.h>

int start_thread(void (*start)(void *), void *arg);

static void work(void *arg) {
    (void)arg;
    assert(0);
}

int main(void) {
    start_thread(work, 0);
    return 0;
}
