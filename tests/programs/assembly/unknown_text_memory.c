// check: unsafe assertion
// Outputs in memory hold any values afterwards; inputs keep theirs.
#include <assert.h>

int main(void) {
    unsigned short control = 7;
    unsigned kept = 4;
    __asm__ volatile("fnstcw %0" : "=m"(control) : "m"(kept));
    assert(kept == 4);
    assert(control == 7); //~ violation
    return 0;
}
