// check: unsafe memory
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    char *volatile q = p + 4;
    free(q); //~ violation
    return 0;
}
