// check: safe-within-bounds
// args: --property assertion
#include <assert.h>
#include <string.h>

_Bool input(void);

int shared, cells[4];

int main(void) {
    char to[4], from[8] = {0};
    int *pointer = input() ? &shared : 0;
    int index = input() ? 5 : 3, length = input() ? 8 : 4;
    *pointer = 1;
    assert(pointer == &shared);
    cells[index] = 2;
    assert(index == 3);
    memcpy(to, from, length);
    assert(length == 4);
    memset(to, 0, length * 2);
    assert(0);
    return 0;
}
