// check: unsafe assertion
// args: --preemptions 1
// One preemption is enough for the lost update.
#include <assert.h>
#include <pthread.h>

int counter;

void *worker(void *arg) {
    (void)arg;
    counter++;
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    counter++;
    pthread_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}
