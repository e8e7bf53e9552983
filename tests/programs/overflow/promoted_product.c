// check: unsafe overflow
// args: --property overflow
// Two unsigned shorts are multiplied as int.
unsigned short a = 65535; int main(void) { int y = a * a; return y & 0; }
