// check: safe
// headline auto explicit: safe (warning: nothing was asserted: no run got to the assertion at nothing_asserted.c:13)
// headline auto explicit lazy -DMORE: safe
// No run gets to the assertion, and there are no threads.
#include <assert.h>
#include <stdlib.h>

int x;

int main(void) {
    if (x == 0)
        exit(0);
    assert(x == 2);
    return 0;
}

#ifdef MORE
__attribute__((constructor)) static void more(void) { x = 2; }
#endif
