// check: unsafe overflow
// args: --property overflow
// A shift that loses bits overflows.
int n = 8; int v = 0x7ffffff; int main(void) { int y = v << n; return y & 0; }
