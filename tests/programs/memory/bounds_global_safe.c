// check: safe
#include <assert.h>

int table[4];

int main(void) {
    int *end = table + 4;
    for (int *p = table; p < end; p++)
        *p = (int)(p - table);
    assert(table[3] == 3);
    return 0;
}
