// A length of all ones is out of bounds, and no reason to look at each of its bytes.
// check: unsafe memory
// headline explicit lazy tree swarm: unsafe (memory at filling_of_any_length.c:10)
#include <stdlib.h>
#include <string.h>

static char bytes[8];

int main(void) {
    memset(bytes, 0, -1); //~ violation
    return 0;
}
