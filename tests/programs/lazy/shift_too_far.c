// check: unsafe arithmetic
// args: --engine lazy --unwind 1
unsigned input(void);

int main(void) {
    unsigned by = input();
    if (by <= 32)
        return (int)(1u << by); //~ violation
    return 0;
}
