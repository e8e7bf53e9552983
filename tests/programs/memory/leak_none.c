// check: safe
// args: --property leak
#include <stdlib.h>

int main(void) {
    char *p = malloc(4);
    p[0] = 1;
    free(p);
    return 0;
}
