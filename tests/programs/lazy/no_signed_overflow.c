// check: safe
// args: --engine lazy --property overflow
int input(void);

int main(void) {
    int a = input(), b = input();
    if (a < 0 || b < 0 || a > 40000 || b > 40000)
        return 0;
    int sum = a + b;
    return a - b + sum - 1;
}
