// check: safe
// headline explicit: safe (warning: nothing was asserted: no run got to __VERIFIER_assert at assume_false_of_every_type.c:18)
// headline lazy tree: safe
// Zero of any type is false: each of these ends the run.
void __ESBMC_assume();
int __VERIFIER_nondet_int(void);

int main(void) {
    void *nothing = 0;
    switch (__VERIFIER_nondet_int()) {
    case 0: __ESBMC_assume(0); break;
    case 1: __ESBMC_assume(0ll); break;
    case 2: __ESBMC_assume(nothing); break;
    case 3: __ESBMC_assume(0.0); break;
    case 4: __ESBMC_assume(-0.0f); break;
    default: return 0;
    }
    __VERIFIER_assert(0);
    return 0;
}
