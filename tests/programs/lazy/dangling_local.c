// check: unsafe memory
// args: --engine lazy --unwind 1
int input(void);

static int *keep(int *old) {
    int local = 1;
    return input() ? old : &local;
}

int main(void) {
    int x = 0, *p = keep(&x);
    return *p; //~ violation
}
