// check: unsafe arithmetic
// args: --engine lazy --unwind 1
// The smallest int divided by -1 does not fit.
int input(void);

int main(void) {
    int a = input(), b = input();
    return b != 0 ? a % b : 0; //~ violation
}
