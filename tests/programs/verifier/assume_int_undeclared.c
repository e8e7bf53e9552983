// check: unsafe assertion
// headline explicit lazy tree cbmc swarm: unsafe (assertion at assume_int_undeclared.c:9)
// Conditions without a prototype are compared with zero at their own type: 2 is true.
int main(void) {
    int x = 2;
    __ESBMC_assume(x);
    __CPROVER_assume(x);
    __VERIFIER_assume(x);
    __ESBMC_assert(0, "reached"); //~ violation
    return 0;
}
