// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at memcpy_negative_length.c:11)
// The sum of offset and length wraps around.
#include <string.h>

char *from, *to;
char a[16], b[16];

int main(void) {
    from = a, to = b;
    memcpy(to + 1, from + 1, -1); //~ violation
    return 0;
}
