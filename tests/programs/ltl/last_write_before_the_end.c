// check: unsafe ltl
// args: --ltl G(!(x&&!end))
// lazy: skip a formula
// There is a moment after the last write in which the process has not ended yet.
int x;
int main(void) {
    x = 1;
    return 0;
}
