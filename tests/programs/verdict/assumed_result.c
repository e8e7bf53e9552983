// check: unsafe assertion
// assumption: `note` (assumed_result.c:14) has no model: it returns any value and has no other effect
// assumption: `ready` (assumed_result.c:15) has no model: it returns any value and has no other effect
// headline auto explicit lazy tree: unsafe (assertion at assumed_result.c:16, resting on the assumed result of `ready`)
// headline auto explicit -DREADY: safe (warning: nothing was asserted: no run got to the assertion at assumed_result.c:16)
// A violation that needs a function without a body to return something names it; one whose result nobody reads does not count.
#include <assert.h>

int ready(void);
int note(int);
int x = 1;

int main(void) {
    note(3);
    if (ready() == 7)
        assert(x == 0); //~ violation
    return 0;
}

#ifdef READY
int ready(void) { return 1; }
#endif
