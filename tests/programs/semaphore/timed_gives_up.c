// check: unsafe assertion
// A timed wait may end before the other thread has posted.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t s;

void *poster(void *arg) {
    (void)arg;
    sem_post(&s);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, poster, NULL);
    assert(sem_timedwait(&s, &until) == 0); //~ violation
    pthread_join(t, NULL);
    return 0;
}
