// check: unknown
// A function that nobody defines: the verdict must not pretend to know it.
int mystery(int x);

int main(void) {
    return mystery(3) == 0;
}
