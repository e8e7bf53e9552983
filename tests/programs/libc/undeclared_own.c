// check: safe
// headline explicit lazy tree: safe
// A definition of the program's own wins over the library's type, also where it stands behind the call.
int main(void) {
    assert(fabs(2) == 7);
    assert(index(1, 2) == 3);
    return 0;
}

int fabs(int x) {
    return x + 5;
}

int index(int a, int b) {
    return a + b;
}
