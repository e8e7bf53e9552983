// check: safe
// args: --property assertion
// headline explicit lazy tree: safe
// headline prove: safe
_Bool __VERIFIER_nondet_bool(void);
void reach_error(void);

unsigned _BitInt(24) one = 1;

int main(void) {
    // An amount that is too large is taken modulo 24, and any other as it is: 8 & 23 is 0.
    unsigned _BitInt(24) amount = __VERIFIER_nondet_bool() ? 8 : __VERIFIER_nondet_bool() ? 30 : 3;
    unsigned _BitInt(24) shifted = one << amount;
    if (amount == 8 && shifted != 256)
        reach_error();
    if (amount == 30 && shifted != 64)
        reach_error();
    return 0;
}
