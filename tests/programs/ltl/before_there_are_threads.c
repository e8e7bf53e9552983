// check: unsafe ltl
// args: --ltl G(!x)
// lazy: skip a formula
// Both writes are seen, though no other thread is there to see them.
int x;
int main(void) {
    x = 1;
    x = 0;
    return 0;
}
