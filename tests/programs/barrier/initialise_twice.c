// check: unsafe lock
// Initialising a barrier twice without destroying it is misuse.
#include <pthread.h>
pthread_barrier_t b;
int main(void) { pthread_barrier_init(&b, 0, 1); pthread_barrier_init(&b, 0, 1); pthread_barrier_wait(&b); }
