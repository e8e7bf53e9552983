// check: unsafe memory
// args: --engine lazy --unwind 1
#include <stdlib.h>

int input(void);

int main(void) {
    int *p = malloc(2 * sizeof *p), *old = p;
    p[0] = 1;
    if (input() == 77)
        p = realloc(p, 4 * sizeof *p);
    old[0] = 2; //~ violation
    free(p);
    return 0;
}
