// check: safe
// headline explicit lazy tree: safe
// Nothing here is zero, though the lowest bit, or the lower half, of each of them is.
int object;

int main(void) {
    __CPROVER_assert(2, "two");
    __ESBMC_assert(0x100000000ll, "a long one");
    __VERIFIER_assert(4);
    __VERIFIER_assert(&object);
    __VERIFIER_assert(0.5);
    assert(2);
    assert(0.5);
    assert(&object);
    assert(0x100000000ll);
    return 0;
}
