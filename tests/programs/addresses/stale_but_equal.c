// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at stale_but_equal.c:11)
// Equal addresses do not make a stale pointer one to the new block (C11 6.2.4p2).
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    free(p);
    char *q = malloc(8);
    if (p == q)
        *p = 1; //~ violation
    free(q);
    return 0;
}
