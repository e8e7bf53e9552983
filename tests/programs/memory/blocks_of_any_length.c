// A length of all ones is out of bounds, and no reason to look at each of its bytes.
// check: unsafe memory
// headline explicit lazy tree swarm: unsafe (memory at blocks_of_any_length.c:11)
#include <stdlib.h>
#include <string.h>

static char from[8], to[8];

int main(void) {
    memmove(to, from, sizeof to);
    memcpy(to, from, (size_t)-1); //~ violation
    return 0;
}
