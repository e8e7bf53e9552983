// check: safe
// headline explicit lazy tree: safe
// As long as the object is, and not at all: both are fine.
#include <assert.h>
#include <string.h>

char b[16];

int main(void) {
    memset(b, 1, sizeof b);
    memset(b + 16, 2, 0);
    assert(b[0] == 1 && b[15] == 1);
    return 0;
}
