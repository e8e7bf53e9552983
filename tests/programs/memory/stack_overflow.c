// check: unsafe memory
int depth(int n) {
    return 1 + depth(n + 1); //~ violation
}

int main(void) {
    return depth(0);
}
