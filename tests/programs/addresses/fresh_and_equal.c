// check: safe
// headline explicit lazy tree: safe
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    free(p);
    char *q = malloc(8);
    if (p == q)
        *q = 1;
    free(q);
    return 0;
}
