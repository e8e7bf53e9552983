// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at left_by_return.c:14)
static int *leave(int n) {
    while (n > 0) {
        int x = n;
        if (n == 1)
            return &x;
        n--;
    }
    return 0;
}

int main(void) {
    return *leave(2); //~ violation
}
