// check: unsafe assertion
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (assertion at made_up_equals_block.c:14, resting on the assumed result of `make`)
// A pointer from nowhere may be the one that malloc gives next.
#include <assert.h>
#include <stdlib.h>

void *make(void);

int main(void) {
    void *made = make();
    char *block = malloc(4);
    if (block && made == block + 2)
        assert(0); //~ violation
    return 0;
}
