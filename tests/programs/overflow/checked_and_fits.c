// An overflow is looked for, and there is none, for a reason that no constant shows.
// check: safe
// args: --property overflow
// headline lazy tree: safe
// headline cbmc --unwind 1: safe within bounds (unwind 1 complete, rounds 2)
int __VERIFIER_nondet_int(void);

int main(void) {
    int input = __VERIFIER_nondet_int();
    return input > 0 && input < 300 ? input * input : 0;
}
