// check: unsafe memory
#include <stdlib.h>

int main(void) {
    char *p = malloc(4);
    int i = -1;
    p[i] = 'x'; //~ violation
    free(p);
    return 0;
}
