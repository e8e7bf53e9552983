// The original of a copy is gone when the copy is looked at.
// check: safe
// headline explicit lazy tree: safe
// headline lazy --unwind 1 --rounds 2: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int first, second;
} *shared;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int gone;

void *freer(void *arg) {
    pthread_mutex_lock(&lock);
    free(shared);
    shared = 0;
    pthread_mutex_unlock(&lock);
    gone = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    shared = malloc(sizeof *shared);
    if (!shared)
        return 0;
    shared->first = shared->second = 3;
    pthread_create(&t, 0, freer, 0);
    struct pair own = {0, 0};
    pthread_mutex_lock(&lock);
    if (shared)
        own = *shared;
    int copied = shared != 0;
    pthread_mutex_unlock(&lock);
    int seen = gone;
    assert(own.first == 3 * copied && own.second == 3 * copied);
    assert(copied || seen || own.first == 0);
    pthread_join(t, 0);
    return 0;
}
