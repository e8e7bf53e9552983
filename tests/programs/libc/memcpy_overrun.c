// check: unsafe memory
#include <string.h>

int main(void) {
    char to[4], from[8] = {0};
    int n = 8;
    memcpy(to, from, n); //~ violation
    return 0;
}
