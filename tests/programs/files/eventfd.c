// check: safe
// A counter of events, and poll.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int events, data;

static void *worker(void *arg) {
    uint64_t one = 1;
    data = 7;
    assert(write(events, &one, sizeof one) == 8);
    return NULL;
}

int main(void) {
    pthread_t t;
    uint64_t count = 0;
    events = eventfd(0, 0);
    pthread_create(&t, NULL, worker, NULL);
    struct pollfd one = {.fd = events, .events = POLLIN};
    assert(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    assert(read(events, &count, sizeof count) == 8 && count == 1 && data == 7);
    pthread_join(t, NULL);
    return 0;
}
