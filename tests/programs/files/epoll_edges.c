// check: safe
// lazy: skip the formulas of many bytes and descriptors are large
// Whoever reads all that there is at every edge misses nothing.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    write(ends[1], "xy", 2);
    write(ends[1], "z", 1);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct epoll_event asked = {.events = EPOLLIN | EPOLLET}, found;
    int set = epoll_create1(0), length = 0;
    char c;
    pipe(ends);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &asked);
    pthread_create(&t, NULL, writer, NULL);
    while (length < 3) {
        assert(epoll_wait(set, &found, 1, -1) == 1);
        while (read(ends[0], &c, 1) == 1)
            length++;
        assert(errno == EAGAIN);
    }
    pthread_join(t, NULL);
    return 0;
}
