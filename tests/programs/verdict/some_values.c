// check: safe
// headline explicit: safe within bounds (some values of the input rand() at some_values.c:9)
// headline auto lazy: safe
// An input with more values than can be tried one by one is a bound of the search, which goes on with some of them.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *count) { int x = rand(); *(int *)count += (x ^ x >> 3) % 3 == 1; return NULL; }

int main(void) {
    pthread_t drawer;
    int count = 0;
    pthread_create(&drawer, NULL, draw, &count);
    pthread_join(drawer, NULL);
    assert(count < 2);
    return 0;
}
