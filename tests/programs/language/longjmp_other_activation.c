// check: unsafe memory
// headline explicit: unsafe (memory at longjmp_other_activation.c:12)
// The function is active, at the same depth even, but not in the call in which setjmp was called.
#include <setjmp.h>

jmp_buf buffer;

int mark(int first) {
    if (first)
        return setjmp(buffer);
    volatile int here = 1;
    longjmp(buffer, here); //~ violation
}

int main(void) {
    mark(1);
    mark(0);
    return 0;
}
