// check: safe
#include <assert.h>
#include <setjmp.h>

jmp_buf context;
int depth;

void fail(int n) {
    depth++;
    if (n == 0)
        longjmp(context, 4);
    fail(n - 1);
}

int main(void) {
    volatile int tries = 0;
    int r = setjmp(context);
    tries++;
    if (r == 0)
        fail(2);
    assert(r == 4 && tries == 2 && depth == 3);
    return 0;
}
