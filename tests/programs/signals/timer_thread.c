// check: safe
// A timer may call its function in a thread of its own, at any moment after it was set.
// check -DUNPROTECTED: unsafe assertion
// check -DOUTLIVED: unsafe memory
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void expired(union sigval value) {
    int *count = value.sival_ptr;
#ifndef UNPROTECTED
    pthread_mutex_lock(&lock);
#endif
    assert(!inside); //~ violation
    *count += 1; //~ violation
#ifndef UNPROTECTED
    pthread_mutex_unlock(&lock);
#endif
}

int main(void) {
    int *count = calloc(1, sizeof *count);
    struct sigevent event;
    struct itimerspec once = {.it_value = {.tv_nsec = 1000}};
    timer_t timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = expired;
    event.sigev_value.sival_ptr = count;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer))
        return 1;
    timer_settime(timer, 0, &once, NULL);
    pthread_mutex_lock(&lock);
    inside = 1;
    assert(*count <= 1);
    inside = 0;
    pthread_mutex_unlock(&lock);
    timer_delete(timer);
#ifdef OUTLIVED
    free(count);
#endif
    return 0;
}
