// check: unsafe memory
// args: --engine lazy --unwind 1
int input(void);

int main(void) {
    char line[16];
    int i = input();
    if (i < 16)
        line[i] = 0; //~ violation
    return 0;
}
