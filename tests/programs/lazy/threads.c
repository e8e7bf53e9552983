// check: unsafe assertion
// args: --engine lazy --threads 3 --unwind 3 --rounds 2
// check --threads 2: safe-within-bounds
#include <assert.h>
#include <pthread.h>

int seen[3];

void *worker(void *arg) {
    seen[(long)arg] = 1;
    return NULL;
}

int main(void) {
    pthread_t t;
    for (long i = 0; i < 3; i++)
        pthread_create(&t, NULL, worker, (void *)i);
    assert(!seen[2]); //~ violation
    return 0;
}
