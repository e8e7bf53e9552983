// check: unsafe memory
// The text of a floating-point number may be long.
#include <stdio.h>

int main(void) {
    char t[8];
    sprintf(t, "%.2f", 1e300); //~ violation
    return 0;
}
