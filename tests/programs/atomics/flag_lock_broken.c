// check: unsafe assertion
// The flag is tested in one step and set in another.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_bool lock;
int inside;

void *worker(void *arg) {
    while (lock)
        ;
    lock = 1;
    inside++;
    assert(inside == 1); //~ violation
    inside--;
    lock = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}
