// check: safe
// headline lazy tree --memory-model tso: safe
// headline lazy tree swarm --memory-model pso: unsafe (assertion at lazy_message.c:27)
// A message behind its flag: stores overtake one another only under PSO.
#include <assert.h>
#include <pthread.h>

int message, flag, seen, found;

void *sender(void *arg) {
    message = 1;
    flag = 1;
    return 0;
}

void *receiver(void *arg) {
    seen = flag;
    found = message;
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, sender, 0);
    pthread_create(&q, 0, receiver, 0);
    pthread_join(p, 0), pthread_join(q, 0);
    assert(!seen || found); //~ violation
}
