// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

int input(void);

struct flags { unsigned kind : 3; signed level : 5; unsigned rest : 24; };

int main(void) {
    struct flags f = {0, 0, 0xabcdef};
    f.kind = input();
    f.level = input();
    assert(f.kind * f.level != -7 * 16); //~ violation
    return 0;
}
