// check: unsafe overflow
// args: --property overflow
// <<= is a shift, too.
int v = -1; int main(void) { v <<= 1; return 0; }
