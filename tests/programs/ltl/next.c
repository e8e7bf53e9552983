// check: safe
// args: --no-merging --ltl X(X(x))
// lazy: skip a formula
int x, y;
int main(void) {
    y = 1;
    x = 1;
    return 0;
}
