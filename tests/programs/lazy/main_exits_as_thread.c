// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// The others go on.
#include <assert.h>
#include <pthread.h>

int over;

void *worker(void *arg) {
    assert(!over); //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    over = 1;
    pthread_exit(NULL);
}
