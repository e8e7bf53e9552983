// check: safe
// args: --property overflow --overflow-also pointers
// A pointer may be one past the end.
int a[4]; int n = 4; int main(void) { int *p = a + n; int *q = p - 4; for (int *r = a; r != p; r++) *r = 1; return q == 0; }
