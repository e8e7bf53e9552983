// check: safe
// args: --property overflow --overflow-also conversions
// Conversions that keep the value.
int v = 100; int main(void) { signed char c = v; unsigned u = v; return (c + (int)u) & 0; }
