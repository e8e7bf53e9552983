// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_next_window.c:8)
// Exactly as far as objects lie apart.
#include <stdlib.h>

int main(void) {
    char *p = malloc(16), *q = malloc(16);
    p[1L << 36] = 1; //~ violation
    return q != 0;
}
