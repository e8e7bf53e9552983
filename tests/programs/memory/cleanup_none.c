// check: safe
// args: --property cleanup
#include <stdlib.h>

/* Freed by whoever still had it. */
static char *kept;

int main(void) {
    kept = malloc(4);
    free(kept);
    return 0;
}
