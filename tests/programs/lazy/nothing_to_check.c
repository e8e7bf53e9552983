// check: safe
// args: --engine lazy --property assertion
// There is no assertion, and all runs were looked at.
int input(void);

int main(void) {
    return input() > 3 ? 1 : 0;
}
