// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

short input(void);

int main(void) {
    float x = input();
    assert(x * 0.5f + 1.25f != 13.75f); //~ violation
    return 0;
}
