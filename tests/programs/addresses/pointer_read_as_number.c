// check: unsafe assertion
#include <assert.h>
#include <stdint.h>
#include <string.h>
static int x;
int main(void) {
    int *p = &x;
    uintptr_t number;
    memcpy(&number, &p, sizeof number);
    assert((number & 0xff) == 0); //~ violation
    return 0;
}
