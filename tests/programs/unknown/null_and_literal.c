// check: safe
// args: --unknown-functions havoc
// Null pointers and literals are not written to.
void f(int *, char *); int main(void) { f(0, "literal"); }
