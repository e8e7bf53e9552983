// check: unsafe memory
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_by_integers.c:10)
// The same by way of integers.
#include <stdint.h>

char p[16], q[16];

int main(void) {
    *(char *)((uintptr_t)p + 65536) = 1; //~ violation
    return q[0];
}
