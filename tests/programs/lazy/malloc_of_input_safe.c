// check: safe
// args: --engine lazy
#include <assert.h>
#include <stdlib.h>

unsigned input(void);

int main(void) {
    unsigned n = input(), i = input();
    if (n > 20 || i >= n)
        return 0;
    char *p = malloc(n);
    p[i] = 7;
    assert(p[i] == 7);
    free(p);
    return 0;
}
