// check: unsafe memory
// args: --engine lazy --unwind 1
#include <stdlib.h>

int input(void);

int main(void) {
    char *p = malloc(4), *q = malloc(4);
    char *r = input() ? p : q;
    free(p);
    free(r); //~ violation
    return 0;
}
