// check: unsafe assertion
// headline explicit lazy tree cbmc swarm: unsafe (assertion at assume_wide_integer.c:15)
// Integers of 128 bits are passed as two halves without a prototype: either may make them true.
void __ESBMC_assume();
void __CPROVER_assume();
void __VERIFIER_assume();
void __VERIFIER_assert();

int main(void) {
    __int128 wide = (__int128)1 << 100, narrow = 2;
    __ESBMC_assume(wide);
    __CPROVER_assume(narrow);
    __VERIFIER_assume(wide);
    __VERIFIER_assert(wide);
    __VERIFIER_assert(0); //~ violation
    return 0;
}
