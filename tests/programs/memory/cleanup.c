// check: unsafe cleanup
// args: --property cleanup
#include <stdlib.h>

/* Not lost, but not freed either. */
static char *kept;

int main(void) {
    kept = malloc(4); //~ violation
    return 0;         //~ violation
}
