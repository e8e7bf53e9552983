// check: safe
// headline explicit: safe
// Out of nested calls, twice to the same place, in a function that is called again in between.
#include <assert.h>
#include <setjmp.h>

jmp_buf buffer;
int calls;

void leave(int depth) {
    if (depth > 0)
        leave(depth - 1);
    longjmp(buffer, 1);
}

int run(int depth) {
    if (setjmp(buffer) == 0)
        leave(depth);
    calls++;
    return depth;
}

int main(void) {
    assert(run(3) == 3);
    assert(run(1) == 1);
    assert(calls == 2);
    return 0;
}
