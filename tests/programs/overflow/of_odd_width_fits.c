// check: safe
// args: --property overflow
// headline lazy tree: safe
// headline cbmc --unwind 1: safe within bounds (unwind 1 complete, rounds 2)
int __VERIFIER_nondet_int(void);

_BitInt(37) number = 0xfffffffffwb, product;

int main(void) {
    int input = __VERIFIER_nondet_int();
    if (input > 0 && input < 40) {
        number = number - input;
        number = number + input;
        product = (_BitInt(37))input * -0x40000000wb;
    }
    return 0;
}
