// The blocks overlap if there are more than three bytes to copy.
// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at memcpy_overlaps_from_some_length_on.c:15)
#include <string.h>

unsigned __VERIFIER_nondet_uint(void);

char bytes[8];

int main(void) {
    unsigned length = __VERIFIER_nondet_uint();
    if (length > 4)
        return 0;
    memmove(bytes, bytes + 3, length);
    memcpy(bytes, bytes + 3, length); //~ violation
    return 0;
}
