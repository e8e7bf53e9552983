// check: unsafe overflow
// args: --property overflow
// 1L << 63 does not fit long.
int n = 63; int main(void) { long y = 1L << n; return y & 0; }
