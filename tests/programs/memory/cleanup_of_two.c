// check: unsafe cleanup
// args: --property cleanup
// headline explicit: unsafe (cleanup at cleanup_of_two.c:13)
// headline explicit --reduction dpor: unsafe (cleanup at cleanup_of_two.c:13)
#include <stdlib.h>

struct pair { int a, b; };
static char *first, *second;

/* The structure's number is free again when the function returns, unless a pass has removed it. */
static void allocate(void) {
    struct pair unused = { 0 };
    first = malloc(1); //~ violation
}

static void (*function)(void);

int main(void) {
    function = allocate;
    function();
    second = malloc(2);
    return 0; //~ violation
}
