// check: safe
// args: --property overflow
// 1 << 30 fits int.
int n = 30; int main(void) { int y = 1 << n; return y & 0; }
