// check: unsafe deadlock
// The counter is emptied at once by a read: two events are not two reads.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int events;

static void *worker(void *arg) {
    uint64_t one = 1;
    write(events, &one, sizeof one);
    write(events, &one, sizeof one);
    return NULL;
}

int main(void) {
    pthread_t t;
    uint64_t count;
    events = eventfd(0, 0);
    pthread_create(&t, NULL, worker, NULL);
    read(events, &count, sizeof count);
    read(events, &count, sizeof count); //~ violation
    pthread_join(t, NULL);
    return 0;
}
