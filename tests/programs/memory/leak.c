// check: unsafe leak
// args: --property leak
#include <stdlib.h>

static void work(void) {
    char *p = malloc(4); //~ violation
    p[0] = 1;
}

int main(void) {
    work();
    return 0; //~ violation
}
