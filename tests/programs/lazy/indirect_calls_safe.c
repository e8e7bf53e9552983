// check: safe
// args: --engine lazy
#include <assert.h>

int input(void);

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int neg(int x) { return -x; }

static int (*const table[])(int) = {inc, dec, neg};

int main(void) {
    unsigned i = input(), j = input();
    if (i > 2 || j > 2)
        return 0;
    int x = table[j](table[i](7));
    assert(x >= -8 && x <= 9 && x != 0);
    return 0;
}
