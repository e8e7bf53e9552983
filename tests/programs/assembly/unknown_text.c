// check: unsafe assertion
// headline lazy explicit: unsafe (assertion at unknown_text.c:11, resting on the assumed result of `inline assembly`)
// assumption: inline assembly `cpuid` (unknown_text.c:9) leaves any values in its outputs and has no other effect
// Assembly that is not understood leaves any values in its outputs.
#include <assert.h>

int main(void) {
    unsigned a = 1, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    if (b)
        assert(a != 3); //~ violation
    return 0;
}
