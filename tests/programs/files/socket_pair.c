// check: safe
// Two ends of a pair of sockets are there among threads: bytes arrive in order, in both directions.
// check -DNO_ANSWER: unsafe deadlock
// check -DSTAYS_OPEN: unsafe deadlock
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *echo(void *unused) {
    char text[8];
    ssize_t length;
    while ((length = read(ends[1], text, sizeof text)) > 0) {
#ifndef NO_ANSWER
        for (ssize_t i = 0; i < length; i++)
            text[i] ^= 32;
        send(ends[1], text, (size_t)length, 0);
#endif
    }
    close(ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    char answer[4] = "";
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    pthread_create(&thread, NULL, echo, NULL);
    write(ends[0], "abc", 3);
    assert(recv(ends[0], answer, 3, 0) == 3 && memcmp(answer, "ABC", 3) == 0);
#ifndef STAYS_OPEN
    close(ends[0]);
#endif
    pthread_join(thread, NULL);
    return 0;
}
