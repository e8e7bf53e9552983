// check: unsafe overflow
// args: --property overflow --overflow-also conversions
// A conversion that changes the value, on request.
int v = 300; int main(void) { signed char c = v; return c & 0; }
