// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>

long input(void);

void *worker(void *arg) {
    return (void *)((long)arg * 3);
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, worker, (void *)input());
    pthread_join(t, &result);
    assert((long)result != 51); //~ violation
    return 0;
}
