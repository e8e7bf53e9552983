// check: unsafe ltl
// args: --ltl G(ready->F(end)) --prop ready=x>100
// lazy: skip a formula
// The formula splits the values of an input that is still open.
int __VERIFIER_nondet_int(void);
int x;
int main(void) {
    x = __VERIFIER_nondet_int();
    while (x > 1000)
        ;
    return 0;
}
