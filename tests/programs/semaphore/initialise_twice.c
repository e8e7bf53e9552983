// check: unsafe lock
// Initialising a semaphore twice without destroying it is misuse.
#include <semaphore.h>
sem_t b;
int main(void) { sem_init(&b, 0, 1); sem_init(&b, 0, 1); sem_wait(&b); }
