// check: unsafe overflow
// args: --property overflow --overflow-also pointers
// A pointer beyond the end of its object, on request.
int a[4]; int n = 5; int main(void) { int *p = a + n; return p == 0; }
