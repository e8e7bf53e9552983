// check: unsafe assertion
// headline explicit: unsafe (assertion at creations_without_end.c:9)
// headline lazy tree swarm cbmc --unwind 4: unsafe (assertion at creations_without_end.c:9)
// headline lazy tree cbmc --unwind 4 --threads 2: unsafe (assertion at creations_without_end.c:9)
#include <assert.h>
#include <pthread.h>

void *worker(void *arg) {
    assert(0); //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 1000; i++)
        pthread_create(&t, 0, worker, 0);
    return 0;
}
