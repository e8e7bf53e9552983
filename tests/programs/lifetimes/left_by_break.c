// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at left_by_break.c:13)
int main(void) {
    int *p = 0, n = 0;
    for (;;) {
        int x = n;
        p = &x;
        if (n == 1)
            break;
        n++;
        continue;
    }
    return *p; //~ violation
}
