// check: unsafe assertion
// headline explicit lazy tree cbmc swarm: unsafe (assertion at assert_zero_float.c:6)
// A float that is zero is false, also where nothing is declared.
int main(void) {
    assert(0.5);
    assert(-0.0); //~ violation
    return 0;
}
