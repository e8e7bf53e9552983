// check: safe
// args: --fail-on-exit
// headline auto explicit lazy tree: safe
// Handlers may change the status; a parent sees eight bits of it; and the last thread to end leaves 0.
#include <pthread.h>
#include <stdlib.h>

static void last_word(void) { _Exit(0); }

static void *thread(void *arg) {
    (void)arg;
    atexit(last_word);
    exit(3);
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    return 256;
}
