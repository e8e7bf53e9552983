// check: unsafe overflow
// args: --engine lazy --unwind 1 --property overflow
int input(void);

int main(void) {
    int a = input(), b = input();
    if (a < 0 || b < 0 || a > 50000 || b > 50000)
        return 0;
    return a * b == 3 ? a : b; //~ violation
}
