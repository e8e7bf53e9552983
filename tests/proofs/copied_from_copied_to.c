// property: race
// Two threads copy the same bytes.
// The twin: one of them copies to where the other one copies from.
#include <pthread.h>
#include <string.h>

static char from[16], one[16], other[16];

static void *first(void *arg) {
    memcpy(one, from, 16);
    return arg;
}

static void *second(void *arg) {
#ifdef TWIN
    memcpy(from, other, 16);
#else
    memcpy(other, from, 16);
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    return 0;
}
