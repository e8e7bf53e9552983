// check: unsafe memory
int main(void) {
    int n = 3;
    char text[n];
    for (int i = 0; i <= n; i++)
        text[i] = 'x'; //~ violation
    return 0;
}
