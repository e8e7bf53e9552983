// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at far_by_integers.c:11)
// The same by way of integers, and a variable.
#include <stdint.h>

char p[16], q[16];

int main(void) {
    uintptr_t address = (uintptr_t)p;
    address += (uintptr_t)1 << 36;
    *(char *)address = 1; //~ violation
    return q[0];
}
