// check: unsafe memory
// args: --malloc-may-fail
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1; //~ violation
    free(p);
    return 0;
}
