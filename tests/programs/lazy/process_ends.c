// check: safe
// args: --engine lazy
// When main returns, nobody goes on.
#include <assert.h>
#include <pthread.h>

int over;

void *worker(void *arg) {
    assert(!over);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    return over;
}
