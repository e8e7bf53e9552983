// check: unsafe assertion
// The thread may still run, on main's flag, before main returns.
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
    return 0;
}
