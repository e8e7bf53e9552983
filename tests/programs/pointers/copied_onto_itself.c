// check: safe
// args: --property assertion
// check -DTWIN: unsafe assertion
// A block that holds a pointer to itself is copied onto itself, each time a little further.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *slots[8];
static void **start = slots;

static void *shifts(void *arg) {
    slots[0] = &slots[1];
    for (int i = 0; i < 3; i++)
        memmove((char *)start + sizeof *start, start, 7 * sizeof *start);
    memmove(slots[1], start, sizeof *start);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, shifts, 0);
    pthread_join(thread, 0);
#ifdef TWIN
    assert(slots[4] == &slots[1]); //~ violation
#else
    assert(slots[3] == &slots[1]);
#endif
    return 0;
}
