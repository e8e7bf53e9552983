// check: safe
// args: --property overflow
// SHRT_MIN / -1 fits int.
short a = -32768, b = -1; int main(void) { int y = a / b; return y & 0; }
