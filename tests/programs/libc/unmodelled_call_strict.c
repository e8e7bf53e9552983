// check: unknown
// args: --strict
// A function that nobody defines: on request the verdict does not rest on an assumption about it.
int mystery(int x);

int main(void) {
    return mystery(3) == 0;
}
