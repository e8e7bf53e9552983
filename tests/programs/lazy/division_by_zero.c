// check: unsafe arithmetic
// args: --engine lazy --unwind 1
int input(void);

int main(void) {
    int a = input(), b = input();
    if (a > 10 && b > 10 && a < 1000 && b < 1000)
        return 100 / (a * b - 35 * 47); //~ violation
    return 0;
}
