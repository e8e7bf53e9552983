// check: unsafe assertion
// Handlers run in reverse order when main returns.
#include <assert.h>
#include <stdlib.h>

int order;

void first(void) { assert(order == 0); } //~ violation
void second(void) { order = 1; }

int main(void) {
    atexit(first);
    atexit(second);
    return 0;
}
