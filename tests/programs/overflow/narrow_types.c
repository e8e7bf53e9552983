// check: safe
// args: --property overflow
// Narrow types are promoted, and converted back: no overflow.
signed char a = 127; int main(void) { a++; a += 100; return 0; }
