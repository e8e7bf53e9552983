// Up to three bytes do not reach from one block into the other.
// check: safe
// headline explicit lazy tree: safe
#include <assert.h>
#include <string.h>

unsigned __VERIFIER_nondet_uint(void);

char bytes[8] = "0123456";

int main(void) {
    unsigned length = __VERIFIER_nondet_uint();
    if (length > 3)
        return 0;
    memcpy(bytes, bytes + 3, length);
    for (unsigned i = 0; i < 3; i++)
        assert(bytes[i] == (i < length ? '3' : '0') + (char)i);
    memmove(bytes + 3, bytes + 2, length);
    assert(length == 0 || bytes[3] == (length == 3 ? '5' : '2'));
    return 0;
}
