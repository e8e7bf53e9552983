// check: unsafe assertion
// headline explicit: unsafe (assertion at many_creations.c:12)
// headline lazy tree swarm cbmc --unwind 2: unsafe (assertion at many_creations.c:12)
// Two of the thousand threads are enough. More of them than can be followed must not hide that.
#include <assert.h>
#include <pthread.h>

int inside;

void *worker(void *arg) {
    inside++;
    assert(inside == 1); //~ violation
    inside--;
    return 0;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 1000; i++)
        pthread_create(&t, 0, worker, 0);
    return 0;
}
