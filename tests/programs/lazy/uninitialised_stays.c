// check: safe
// args: --engine lazy
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    int first = *p;
    assert(first == *p);
    free(p);
    return 0;
}
