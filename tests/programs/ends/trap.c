// check: unsafe abort
// __builtin_trap ends the process abnormally.
int main(void) { __builtin_trap(); }
