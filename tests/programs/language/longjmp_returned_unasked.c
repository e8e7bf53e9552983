// check: safe
// args: --property assertion
// headline explicit lazy tree: safe
// The jump is misuse that nobody asked about: a run that gets there ends there.
#include <assert.h>
#include <setjmp.h>

jmp_buf buffer;

int mark(void) {
    return setjmp(buffer);
}

int __VERIFIER_nondet_int(void);

int main(void) {
    int choice = __VERIFIER_nondet_int();
    if (choice == 3)
        return 0;
    assert(choice != 3);
    if (mark() == 0)
        longjmp(buffer, 1);
    assert(0);
    return 0;
}
