// check: unsafe assertion
// Memory that was never written holds any value.
#include <assert.h>
#include <stdlib.h>

int sink;

int main(void) {
    unsigned char *p = malloc(1);
    if (*p > 100)
        sink = 1;
    free(p);
    assert(sink == 0); //~ violation
    return 0;
}
