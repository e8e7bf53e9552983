// check: unsafe assertion
// A plain += next to an atomic one still loses updates.
#include <assert.h>
#include <pthread.h>

int counter;

void *worker(void *arg) {
    __sync_fetch_and_add(&counter, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    counter += 1;
    pthread_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}
