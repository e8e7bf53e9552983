// check: unsafe assertion
// A static local is one variable for all threads.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int next(void) {
    static int last;
    return ++last;
}

void *worker(void *arg) {
    (void)arg;
    return (void *)(intptr_t)next();
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    int mine = next();
    pthread_join(t, &r);
    assert(mine != (int)(intptr_t)r); //~ violation
    return 0;
}
