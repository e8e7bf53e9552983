// check: unsafe memory
#include <stdio.h>

int main(void) {
    char text[4];
    sprintf(text, "%d", 12345); //~ violation
    return 0;
}
