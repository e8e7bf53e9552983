// check: unsafe memory
// args: --engine lazy --unwind 1
#include <stdlib.h>

unsigned input(void);

int main(void) {
    unsigned n = input(), i = input();
    if (n == 0 || n > 20 || i > n)
        return 0;
    char *p = malloc(n);
    p[i] = 1; //~ violation
    free(p);
    return 0;
}
