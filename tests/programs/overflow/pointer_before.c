// check: unsafe overflow
// args: --property overflow --overflow-also pointers
// A pointer before its object, on request.
int a[4]; int n = 1; int main(void) { int *p = a - n; return p == 0; }
