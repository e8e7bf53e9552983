// check: safe
// A timed wait never fails where the semaphore can be had at once.
#include <semaphore.h>
#include <assert.h>
#include <time.h>
int main(void) { sem_t s; sem_init(&s, 0, 1); struct timespec ts = {0};
 assert(sem_timedwait(&s, &ts) == 0); }
