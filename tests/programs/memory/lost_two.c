// check: unsafe leak
// args: --property leak
// headline explicit: unsafe (leak at lost_two.c:13)
// headline explicit --reduction dpor: unsafe (leak at lost_two.c:13)
#include <stdlib.h>

struct pair { int a, b; };
static char *last;

/* The structure's number is free again when the function returns, unless a pass has removed it. */
static void allocate(void) {
    struct pair unused = { 0 };
    last = malloc(1); //~ violation
}

static void (*function)(void);

int main(void) {
    function = allocate;
    function();
    last = malloc(2);
    last = 0;
    return 0; //~ violation
}
