// check: safe
// Exit handlers run last in, first out; one registered by a handler runs next.
#include <assert.h>
#include <stdlib.h>

int step;

static void last(void) { assert(step++ == 2); }
static void added(void) { assert(step++ == 1); }
static void first(void) {
    assert(step++ == 0);
    atexit(added);
}

int main(void) {
    atexit(last);
    atexit(first);
    return 0;
}
