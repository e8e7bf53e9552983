// check: unsafe assertion
// args: --suppress assertion@suppressed.c:19
// headline auto explicit: unsafe (assertion at suppressed.c:22)
// headline explicit --suppress assertion@suppressed.c:22: safe
// headline explicit --suppress assertion@suppressed.c:22 --strict: safe
// What is left out is passed over, and what comes after it is found.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x, y;

static void *thread(void *arg) { x = 1; y = 1; return arg; }

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    if (y)
        assert(x == 0);
    pthread_join(id, NULL);
    if (x == 1)
        assert(y == 0); //~ violation
    return 0;
}
