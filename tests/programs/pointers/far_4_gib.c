// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_4_gib.c:7)
#include <stdlib.h>

int main(void) {
    char *p = malloc(16), *q = malloc(16);
    p[1L << 32] = 1; //~ violation
    return q != 0;
}
