// check: safe-within-bounds
// args: --engine lazy
// headline lazy: safe within bounds (unwind 128 cut; warning: no thread was created: no run got to pthread_create at long_loop.c:19)
// headline lazy tree --unwind 3: safe within bounds (unwind 3 cut; warning: no thread was created: no run got to pthread_create at long_loop.c:19)
// headline lazy --unwind 3 --strict: unknown (no thread was created: no run got to pthread_create at long_loop.c:19)
// Within the bounds there is no thread at all.
#include <assert.h>
#include <pthread.h>

int x;
volatile int y;

static void *thread(void *arg) { x = 1; return arg; }

int main(void) {
    for (long i = 0; i < 2000000000; i++)
        y = (int)i;
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    assert(x == 1);
    pthread_join(id, NULL);
    return 0;
}
