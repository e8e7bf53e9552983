// check: safe
// assumption: where a program looks at the numbers of addresses, objects lie in one of four orders, each far from all others
// assumption: there is always enough memory (--may-fail malloc)
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    assert(((uintptr_t)p & 0xff) == 0);
    free(p);
    return 0;
}
