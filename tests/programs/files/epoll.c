// check: safe
// lazy: skip the formulas of many bytes and descriptors are large
// A loop over events: a counter that wakes it up, and a pipe that is read to its end.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int wake, ends[2], data;

static void *worker(void *arg) {
    uint64_t one = 1;
    data = 7;
    write(wake, &one, sizeof one);
    write(ends[1], "x", 1);
    close(ends[1]);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct epoll_event asked = {.events = EPOLLIN}, found[2];
    int set = epoll_create1(0), woken = 0, length = 0, ended = 0;
    wake = eventfd(0, 0);
    pipe(ends);
    asked.data.fd = wake;
    assert(epoll_ctl(set, EPOLL_CTL_ADD, wake, &asked) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, wake, &asked) == -1);
    asked.data.fd = ends[0];
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &asked);
    pthread_create(&t, NULL, worker, NULL);
    while (!ended || !woken) {
        int count = epoll_wait(set, found, 2, -1);
        assert(count == 1 || count == 2);
        for (int i = 0; i < count; i++) {
            uint64_t events;
            char c;
            if (found[i].data.fd == wake) {
                read(wake, &events, sizeof events);
                assert(events == 1 && data == 7);
                woken = 1;
            } else if (read(ends[0], &c, 1) == 1) {
                assert(c == 'x' && (found[i].events & EPOLLIN));
                length++;
            } else {
                assert(found[i].events & EPOLLHUP);
                close(ends[0]);
                ended = 1;
            }
        }
    }
    assert(length == 1);
    assert(epoll_wait(set, found, 2, 0) == 0);
    pthread_join(t, NULL);
    return 0;
}
