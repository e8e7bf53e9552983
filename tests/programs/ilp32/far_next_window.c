// check: unsafe memory
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_next_window.c:11)
// Exactly as far as objects lie apart.
#include <stdlib.h>

int main(void) {
    char *p = malloc(16), *q = malloc(16);
    for (int i = 0; p && q && i < 1; i++) {
        char *far = p + 32768;
        far[32768] = 1; //~ violation
    }
    return 0;
}
