// check: unsafe memory
// args: -m32
// Room for two pointers, sized as if they had 64 bits: the third still fits, the fifth does not.
#include <stdlib.h>

int main(void) {
    void **table = malloc(16);
    table[2] = table;
    table[3] = table;
    table[4] = table; //~ violation
    free(table);
    return 0;
}
