// check: unsafe overflow
// args: --property overflow --overflow-also conversions
// A floating-point number beyond int, on request.
double d = 1e20; int main(void) { int x = (int)d; return x & 0; }
