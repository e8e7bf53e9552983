// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at left_by_goto.c:15)
int input(void);

int main(void) {
    int *p, n = 0;
    {
        int x = 1;
        p = &x;
        if (n == 0)
            goto out;
        n = x;
    }
out:
    return *p; //~ violation
}
