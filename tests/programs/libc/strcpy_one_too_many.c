// check: unsafe memory
// The terminating zero has no room.
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *name = "abc";
    char *copy = malloc(strlen(name));
    strcpy(copy, name); //~ violation
    free(copy);
    return 0;
}
