// check: unsafe assertion
// args: -m32
#include <assert.h>
#include <pthread.h>

long counter;

void *worker(void *arg) {
    counter++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    counter++;
    pthread_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}
