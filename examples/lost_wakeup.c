// One thread waits for a job, another announces it.
//
//     selvedge check examples/lost_wakeup.c
//
// What to look for: a deadlock. The flag is set without the lock, so that the signal can come between the
// waiter's look at the flag and its pthread_cond_wait: nobody is waiting yet, the signal is lost, and the
// waiter sleeps for ever. Tests hardly ever meet this. Set the flag under the lock, and it is gone.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_announced = PTHREAD_COND_INITIALIZER;
static int job_ready;

static void *announce(void *arg) {
    job_ready = 1;
    pthread_cond_signal(&job_announced);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, announce, NULL);
    pthread_mutex_lock(&lock);
    while (!job_ready)
        pthread_cond_wait(&job_announced, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
