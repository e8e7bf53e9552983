// check: safe
#include <assert.h>

struct flags {
    unsigned a : 3;
    int b : 4;
    unsigned c : 1;
    unsigned : 0;
    unsigned long long d : 40;
};

int main(void) {
    struct flags f = {0};
    f.a = 9;
    f.b = -3;
    f.c = 1;
    f.d = 1ull << 39;
    assert(f.a == 1 && f.b == -3 && f.c == 1 && f.d == 1ull << 39);
    f.a += 7;
    assert(f.a == 0 && f.b == -3);
    return 0;
}
