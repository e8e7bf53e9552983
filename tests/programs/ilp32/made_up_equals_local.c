// check: unsafe assertion
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (assertion at made_up_equals_local.c:14, resting on the assumed result of `make`)
#include <assert.h>

void *make(void);
void keep(int *p) { *p = 1; }

int main(void) {
    int first, second;
    keep(&first);
    keep(&second);
    if (make() == &second)
        assert(0); //~ violation
    return 0;
}
