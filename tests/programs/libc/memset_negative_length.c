// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at memset_negative_length.c:9)
// A length of -1 is longer than any object; no byte of it is looked at.
#include <string.h>

char b[16];

int main(void) {
    memset(b, 0, -1); //~ violation
    return 0;
}
