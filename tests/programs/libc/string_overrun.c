// check: unsafe memory
#include <string.h>

int main(void) {
    char small[4];
    strcpy(small, "four"); //~ violation
    return 0;
}
