// check: unsafe overflow
// args: --property overflow
// 1 << 31 does not fit int.
int n = 31; int main(void) { int y = 1 << n; return y & 0; }
