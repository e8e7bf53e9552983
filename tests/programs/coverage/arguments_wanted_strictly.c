// check: unknown vacuous
// args: --strict
// headline auto explicit lazy tree: unknown (no thread was created: no run got to pthread_create at arguments_wanted_strictly.c:19)
// headline auto explicit lazy tree -DWANTED=1: safe
// A verdict on nothing is none, if one is strict.
#include <pthread.h>
#include <stdlib.h>

#ifndef WANTED
#define WANTED 0
#endif
int wanted = WANTED;

static void *thread(void *arg) { return arg; }

int main(void) {
    pthread_t id;
    if (wanted) {
        pthread_create(&id, NULL, thread, NULL);
        pthread_join(id, NULL);
    }
    return 0;
}
