// check: safe
// args: --invariant savings+current==200
// lazy: skip an invariant
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int savings = 100, current = 100;
int main(void) {
    for (int i = 0; i < 3; i++) {
        __VERIFIER_atomic_begin();
        savings -= 10;
        current += 10;
        __VERIFIER_atomic_end();
    }
    return 0;
}
