// check: safe
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = calloc(2, sizeof *p);
    assert(p[0] == 0 && p[1] == 0);
    p[1] = 7;
    p = realloc(p, 4 * sizeof *p);
    p[3] = 1;
    assert(p[1] == 7);
    free(p);
    free(NULL);
    return 0;
}
