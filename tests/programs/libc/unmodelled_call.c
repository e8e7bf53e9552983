// check: safe
// A function that nobody defines may return anything; this assumption is listed with the verdict.
int mystery(int x);

int main(void) {
    return mystery(3) == 0;
}
