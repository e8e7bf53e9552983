// property: race
// A semaphore with one permit protects a counter.
// The twin: it has two.
#include <pthread.h>
#include <semaphore.h>

static sem_t permits;
static int n;
#ifdef TWIN
enum { PERMITS = 2 };
#else
enum { PERMITS = 1 };
#endif

static void *thread(void *arg) {
    sem_wait(&permits);
    n++;
    sem_post(&permits);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&permits, 0, PERMITS);
    for (;;) pthread_create(&t, 0, thread, 0);
}
