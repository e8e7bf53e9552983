// check: safe
// args: --property overflow
// Unsigned quotients always fit.
unsigned a = 0x80000000u, b = -1; int main(void) { unsigned y = a / b; return y & 0; }
