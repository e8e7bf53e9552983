// check: safe
// headline explicit lazy tree: safe
int main(void) {
    int *p;
    {
        int x = 3;
        p = &x;
        if (*p != 3)
            return 1;
    }
    return 0;
}
