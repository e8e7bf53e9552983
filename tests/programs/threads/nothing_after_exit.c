// check: safe
// The flag is set only when the process is over; nobody can see it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int over;

void *worker(void *arg) {
    assert(!over);
    return arg;
}

void last(void) {
    exit(0);
    over = 1;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    last();
    over = 1;
    return 0;
}
