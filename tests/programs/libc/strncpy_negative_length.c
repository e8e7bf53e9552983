// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at strncpy_negative_length.c:10)
// strncpy fills up to its length, which no object has.
#include <string.h>

char b[100000];

int main(void) {
    int n = -1;
    strncpy(b, "abc", n); //~ violation
    return 0;
}
