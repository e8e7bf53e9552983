// property: race
// As own blocks, but the twin's threads also leave theirs where the others find it.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *last;

static void *work(void *argument)
{
    int *mine = argument;
    pthread_mutex_lock(&lock);
    if (last)
        (*last)++;
#ifdef TWIN
    last = mine;
#endif
    pthread_mutex_unlock(&lock);
    *mine = 1;
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    pthread_t *threads = malloc((count < 1 ? 1 : count) * sizeof *threads);
    for (int i = 0; i < count; i++) {
        int *block = malloc(sizeof *block);
        pthread_create(&threads[i], 0, work, block);
    }
    return 0;
}
