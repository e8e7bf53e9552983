// property: race
// Each thread gets a new block, writes and frees it. In the twin its creator looks at it once more.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct order {
    int number, done;
};

static void *work(void *argument)
{
    struct order *mine = argument;
    mine->done = mine->number;
    free(mine);
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    pthread_t *threads = malloc((count < 1 ? 1 : count) * sizeof *threads);
    for (int i = 0; i < count; i++) {
        struct order *order = malloc(sizeof *order);
        order->number = i;
        pthread_create(&threads[i], 0, work, order);
#ifdef TWIN
        order->done = 0;
#endif
    }
    return 0;
}
