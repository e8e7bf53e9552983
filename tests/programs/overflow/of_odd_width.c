// C compilers compute in 37 bits what no C type of the emitted program has.
// check: unsafe overflow
// args: --property overflow
// headline explicit lazy tree: unsafe (overflow at of_odd_width.c:12)
// headline cbmc --unwind 1: unsafe (overflow at of_odd_width.c:12)
int __VERIFIER_nondet_int(void);

_BitInt(37) number = 0xfffffffffwb;

int main(void) {
    if (__VERIFIER_nondet_int() == 7)
        number = number + 1; //~ violation
    return 0;
}
