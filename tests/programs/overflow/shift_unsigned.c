// check: safe
// args: --property overflow
// 1u << 31 fits unsigned.
int n = 31; int main(void) { unsigned y = 1u << n; return y & 0; }
