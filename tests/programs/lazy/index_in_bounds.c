// check: safe
// args: --engine lazy
int input(void);

int main(void) {
    char line[16];
    int i = input();
    if (i * 2 < 32 && i >= 0 && i < 100)
        line[i] = 0;
    return 0;
}
