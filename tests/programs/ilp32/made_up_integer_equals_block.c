// check: unsafe assertion
// args: -m32
// headline explicit lazy tree cbmc swarm: unsafe (assertion at made_up_integer_equals_block.c:13)
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
    char *block = malloc(4);
    if (block && __VERIFIER_nondet_ulong() == (uintptr_t)block + 1)
        assert(0); //~ violation
    return 0;
}
