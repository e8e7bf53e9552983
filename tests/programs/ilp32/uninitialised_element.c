// check: unsafe assertion
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (assertion at uninitialised_element.c:19)
// Which element gets the uninitialised struct is an input.
#include <assert.h>

int __VERIFIER_nondet_int(void);

struct pair {
    int x, y;
} g[2];

int main(void) {
    int j = __VERIFIER_nondet_int();
    if (j < 0 || j > 1)
        return 0;
    struct pair l;
    g[j] = l;
    assert(g[0].y != 4); //~ violation
    return 0;
}
