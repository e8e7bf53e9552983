// check: unsafe memory
#include <stdlib.h>

int sink;

int main(void) {
    int *p = malloc(sizeof *p);
    if (*p > 0) //~ violation
        sink = 1;
    free(p);
    return 0;
}
