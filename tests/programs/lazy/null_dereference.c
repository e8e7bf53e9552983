// check: unsafe memory
// args: --engine lazy --unwind 1
int input(void);

struct box { int a[4]; };

int main(void) {
    struct box b = {{0}}, *p = 0;
    int x = input();
    if (x >= 0 && x / 3 != 21)
        p = &b;
    if (x > 0)
        p->a[x % 4] = 1; //~ violation
    return 0;
}
