// check: safe
// args: --ltl G(!x)
// lazy: skip a formula
// Nobody sees the inside of an atomic section.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;
int main(void) {
    __VERIFIER_atomic_begin();
    x = 1;
    x = 0;
    __VERIFIER_atomic_end();
    return 0;
}
