// check: unsafe memory
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (memory at before_its_object.c:9)
// Behind the end of one block is not the beginning of the next.
#include <stdlib.h>

int main(void) {
    char *p = malloc(4095), *q = malloc(16);
    q[-2] = 1; //~ violation
    return p != 0;
}
