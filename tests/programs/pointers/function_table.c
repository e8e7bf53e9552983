// check: safe
#include <assert.h>

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }

struct operation {
    char name;
    int (*apply)(int, int);
};
static const struct operation table[] = {{'+', add}, {'-', subtract}, {'*', multiply}};

int evaluate(char name, int a, int b) {
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].name == name)
            return table[i].apply(a, b);
    return -1;
}

int main(void) {
    assert(evaluate('+', 2, 3) == 5 && evaluate('-', 2, 3) == -1 && evaluate('*', 2, 3) == 6);
    return 0;
}
