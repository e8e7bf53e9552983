// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at block_where_another_was.c:11)
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    free(p);
    char *q = malloc(8);
    assert(p != q); //~ violation
    free(q);
    return 0;
}
