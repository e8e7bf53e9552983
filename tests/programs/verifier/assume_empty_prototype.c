// check: unsafe assertion
// headline explicit lazy tree cbmc swarm: unsafe (assertion at assume_empty_prototype.c:21)
// The same with declarations that say nothing about arguments, and with arguments of every width.
#include <stddef.h>

void __ESBMC_assume();
void __CPROVER_assume();
void __VERIFIER_assume();
void assume();
void __VERIFIER_assert();
int object;

int main(void) {
    __ESBMC_assume(2);
    __CPROVER_assume(0x100000000ll);
    __VERIFIER_assume(0x7000000000000000ll);
    __VERIFIER_assume(&object);
    assume(0.5);
    assume(0.25f);
    __CPROVER_assume((char)16);
    __VERIFIER_assert(0); //~ violation
    return 0;
}
