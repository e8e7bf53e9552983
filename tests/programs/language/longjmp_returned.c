// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at longjmp_returned.c:15)
// The function that called setjmp has returned.
#include <assert.h>
#include <setjmp.h>

jmp_buf buffer;

int mark(void) {
    return setjmp(buffer);
}

int main(void) {
    if (mark() == 0)
        longjmp(buffer, 1); //~ violation
    assert(0);
    return 0;
}
