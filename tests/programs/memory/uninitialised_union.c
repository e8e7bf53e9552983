// check: unsafe assertion
// headline lazy tree cbmc: unsafe (assertion at uninitialised_union.c:20)
// Some bytes of a word are written, the others are not.
#include <assert.h>
#include <stdlib.h>

union word {
    int i;
    char c[4];
};

int main(void) {
    union word *w = malloc(sizeof *w);
    if (!w)
        return 0;
    w->c[1] = 1;
    union word copy = *w;
    assert((copy.i >> 8 & 255) == 1);
    assert(copy.i == w->i);
    assert(copy.c[2] != 7); //~ violation
    return 0;
}
