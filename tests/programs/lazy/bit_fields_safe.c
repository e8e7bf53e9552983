// check: safe
// args: --engine lazy
#include <assert.h>

int input(void);

struct flags { unsigned kind : 3; signed level : 5; unsigned rest : 24; };

int main(void) {
    struct flags f = {0, 0, 0xabcdef};
    f.kind = input();
    f.level = input();
    assert(f.kind <= 7 && f.level >= -16 && f.level <= 15 && f.rest == 0xabcdef);
    return 0;
}
