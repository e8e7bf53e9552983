// check: safe
// headline explicit lazy tree: safe
static int last(int n) {
    int sum = 0;
    for (int i = 1; i < n; i++) {
        int a[i];
        a[i - 1] = 1;
        int *p = &a[i - 1];
        sum += *p;
    }
    return sum;
}

int main(void) {
    return last(3) - 2;
}
