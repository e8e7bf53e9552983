// check: unsafe deadlock
// Of an edge epoll tells once: what was left in the pipe then is not told of again.
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

int main(void) {
    struct epoll_event asked = {.events = EPOLLIN | EPOLLET}, found;
    int set = epoll_create1(0), ends[2];
    char c;
    pipe(ends);
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &asked);
    write(ends[1], "xy", 2);
    for (int left = 2; left > 0; left--) {
        epoll_wait(set, &found, 1, -1); //~ violation
        read(ends[0], &c, 1);
    }
    return 0;
}
