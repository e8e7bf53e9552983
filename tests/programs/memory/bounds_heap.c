// check: unsafe memory
#include <stdlib.h>

int main(void) {
    int *p = malloc(3 * sizeof *p);
    p[3] = 1; //~ violation
    free(p);
    return 0;
}
