// check: unsafe memory
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    int *old = p;
    p = realloc(p, 2 * sizeof *p);
    *old = 1; //~ violation
    free(p);
    return 0;
}
