// check: unsafe memory
// args: --may-fail malloc
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1; //~ violation
    free(p);
    return 0;
}
