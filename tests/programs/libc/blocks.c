// check: unsafe memory
// args: --engine lazy
// The number that fread returns is the number of items, not the size of the array.
#include <stdio.h>

int main(void) {
    unsigned char header[2], body[4];
    if (fread(header, 1, 2, stdin) != 2)
        return 1;
    body[header[0]] = 1; //~ violation
    return 0;
}
