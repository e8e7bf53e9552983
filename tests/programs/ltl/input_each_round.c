// check: unsafe ltl
// args: --ltl F(G(!big)) --prop big=x>5
// lazy: skip a formula
// A cycle that needs a new input in each round.
int __VERIFIER_nondet_int(void);
volatile int x;
int main(void) {
    for (;;)
        x = __VERIFIER_nondet_int();
}
