// check: unsafe memory
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_heap_block.c:10)
// As far from its block as the next one may lie.
#include <stdlib.h>

int main(void) {
    char *p = malloc(16), *q = malloc(16);
    if (p && q)
        p[4096] = 1; //~ violation
    return 0;
}
