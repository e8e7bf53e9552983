// check: unsafe assertion
// A timed wait may give up before the post comes.
#include <semaphore.h>
#include <pthread.h>
#include <assert.h>
#include <time.h>
sem_t s; 
void *t(void *a) { sem_post(&s); return 0; }
int main(void) { pthread_t h; sem_init(&s, 0, 0); struct timespec ts = {5}; pthread_create(&h, 0, t, 0);
 assert(sem_timedwait(&s, &ts) == 0); pthread_join(h, 0); }
