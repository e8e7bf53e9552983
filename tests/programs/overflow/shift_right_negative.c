// check: safe
// args: --property overflow
// Shifting a negative value to the right is defined by the implementation.
int v = -5; int main(void) { int y = v >> 1; return y & 0; }
