// check: safe
// args: --property overflow
// Shifting a small value that is not negative is fine.
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x >= 0 && x < 8) { int y = x << 1; return y & 0; } }
