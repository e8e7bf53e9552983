// check: safe
// args: --engine explicit
// lazy: skip forty megabytes of terms
// headline explicit: safe
// Allocating, clearing and copying take time in proportion to the size.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40000000 };

static char *cleared;

static void *touch(void *argument)
{
    (void)argument;
    cleared[5] = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    cleared = calloc(1, SIZE);
    char *copy = malloc(SIZE);
    memcpy(copy, cleared, SIZE);
    pthread_create(&thread, 0, touch, 0);
    pthread_join(thread, 0);
    assert(cleared[SIZE - 1] == 0 && copy[5] == 0 && cleared[5] == 1);
    free(copy);
    free(cleared);
    return 0;
}
