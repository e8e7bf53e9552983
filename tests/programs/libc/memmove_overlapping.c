// check: safe
#include <assert.h>
#include <string.h>

int main(void) {
    char up[6] = "abcde", down[6] = "abcde";
    memmove(up + 1, up, 4);
    memmove(down, down + 1, 4);
    assert(memcmp(up, "aabcd", 6) == 0);
    assert(memcmp(down, "bcdee", 6) == 0);
    return 0;
}
