// check: unsafe arithmetic
int shift = 32;

int main(void) {
    unsigned x = 1;
    x = x << shift; //~ violation
    return 0;
}
