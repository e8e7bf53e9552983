// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at variable_length_left.c:10)
static int last(int n) {
    int *p;
    {
        int a[n];
        a[n - 1] = 1;
        p = &a[n - 1];
    }
    return *p; //~ violation
}

int main(void) {
    return last(2) - 1;
}
