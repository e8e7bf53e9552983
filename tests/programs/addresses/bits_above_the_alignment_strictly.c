// check: unknown
// args: --strict
// The pointer that is made of the page's number must lead back, so the program sees one layout only.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    uintptr_t page = (uintptr_t)p & ~(uintptr_t)0xfff;
    char *start = (char *)page;
    assert((page & 0x10) == 0 || start == p);
    free(p);
    return 0;
}
