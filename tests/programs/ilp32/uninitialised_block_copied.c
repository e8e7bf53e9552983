// check: unsafe assertion
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (assertion at uninitialised_block_copied.c:18)
// Parts of copies of parts.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *block = malloc(8), local[8];
    if (!block)
        return 0;
    block[3] = 9;
    memcpy(local, block, 8);
    assert(local[3] == 9 && local[2] == block[2]);
    short part;
    memcpy(&part, local + 4, 2);
    assert(part != 77); //~ violation
    return 0;
}
