// check: unsafe thread
// args: --may-fail create
// headline auto explicit lazy tree: unsafe (thread at create_may_fail.c:14)
// headline auto explicit lazy tree -DCAREFUL: safe
// A thread that could not be created must not be joined.
#include <pthread.h>

static void *thread(void *arg) { return arg; }

int main(void) {
    pthread_t id = 0;
    int error = pthread_create(&id, NULL, thread, NULL);
#ifndef CAREFUL
    pthread_join(id, NULL); //~ violation
#else
    if (!error)
        pthread_join(id, NULL);
#endif
    return error;
}
