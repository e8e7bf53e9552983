// check: unsafe assertion
// x++ is a load and a store, with room for another thread in between.
#include <assert.h>
#include <pthread.h>

int counter;

void *worker(void *arg) {
    (void)arg;
    counter++;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(counter == 2); //~ violation
    return 0;
}
