// check: unsafe memory
// mkstemp writes into its template.
#include <stdlib.h>

int main(void) {
    return mkstemp("/tmp/xXXXXXX"); //~ violation
}
