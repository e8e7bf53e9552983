// check: unsafe assertion
// headline explicit: unsafe (assertion at sixty_five_creations.c:12)
// headline lazy tree swarm cbmc --unwind 2: unsafe (assertion at sixty_five_creations.c:12)
// One more than are followed unless more are asked for.
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
    for (int i = 0; i < 65; i++)
        pthread_create(&t, 0, worker, 0);
    return 0;
}
