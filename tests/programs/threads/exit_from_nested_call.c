// check: safe
// pthread_exit leaves all calls of the thread at once, with its value.
#include <assert.h>
#include <pthread.h>

int reached;

static void inner(int depth) {
    if (depth == 0)
        pthread_exit((void *)7);
    inner(depth - 1);
    reached = 1;
}

void *worker(void *arg) {
    inner(2);
    reached = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &result);
    assert(result == (void *)7 && !reached);
    return 0;
}
