// check: unsafe memory
#include <stdlib.h>

int main(void) {
    int local = 0;
    int *volatile p = &local;
    free(p); //~ violation
    return 0;
}
