// check: unsafe memory
#include <alloca.h>

static int *make(void) {
    int *p = alloca(sizeof *p);
    *p = 1;
    return p;
}

int main(void) {
    return *make() - 1; //~ violation
}
