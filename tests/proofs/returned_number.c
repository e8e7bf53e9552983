// property: race
// Threads return numbers to whoever joins them.
// The twin: they return a block, which another thread and main write.
#include <pthread.h>
#include <stdlib.h>

static void *maker(void *arg) {
    int *block = malloc(sizeof *block);
    if (!block)
        exit(0);
    *block = 1;
#ifdef TWIN
    return block;
#else
    free(block);
    return arg;
#endif
}

static void *user(void *arg) {
    if (arg)
        *(int *)arg = 2;
    return 0;
}

int main(void) {
    for (;;) {
        pthread_t t, u;
        void *result;
        pthread_create(&t, 0, maker, 0);
        pthread_join(t, &result);
        pthread_create(&u, 0, user, result);
        if (result)
            *(int *)result = 3;
    }
}
