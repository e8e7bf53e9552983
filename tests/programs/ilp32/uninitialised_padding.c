// check: unsafe assertion
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (assertion at uninitialised_padding.c:18)
// A struct with gaps is copied before anybody wrote it.
#include <assert.h>

struct s {
    char c;
    short h;
    int i;
};

static struct s g;

int main(void) {
    struct s l;
    g = l;
    assert(g.h != 4); //~ violation
    return 0;
}
