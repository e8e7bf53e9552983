// check: safe
// A trap that no run gets to is none.
int x;
int main(void) { if (x) __builtin_trap(); }
