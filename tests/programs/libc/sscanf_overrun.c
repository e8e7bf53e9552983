// check: unsafe memory
// A word that is longer than its place.
#include <stdio.h>

int main(void) {
    char name[4];
    return sscanf("abcdef", "%s", name); //~ violation
}
