// check: safe
// _Exit and abort run no handlers.
#include <assert.h>
#include <stdlib.h>

int which;

void handler(void) { assert(0); }

int main(void) {
    atexit(handler);
    if (which)
        abort();
    _Exit(1);
}
