// check: unsafe overflow
// args: --property overflow
// Shifting a negative value to the left is undefined.
int nondet_int(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x >= -4 && x < 0) { int y = x << 1; return y & 0; } }
