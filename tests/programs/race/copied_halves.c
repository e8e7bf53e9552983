// check: safe
// args: --property race
// Two threads set the two halves of an array, of which nobody reads a byte by itself.
// check -DTWIN: unsafe race
// The first half is longer.
#include <pthread.h>
#include <string.h>

static char bytes[16];
#ifdef TWIN
enum { HALF = 9 };
#else
enum { HALF = 8 };
#endif

static void *first(void *arg) {
    memset(bytes, 0, HALF);
    return arg;
}

static void *second(void *arg) {
    memset(bytes + 8, 1, 8);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    return 0;
}
