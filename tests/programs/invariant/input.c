// check: unsafe invariant
// args: --invariant x!=77
// lazy: skip an invariant
int __VERIFIER_nondet_int(void);
int x;
int main(void) {
    x = __VERIFIER_nondet_int();
    return 0;
}
