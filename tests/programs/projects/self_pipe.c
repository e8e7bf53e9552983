// check: safe
// An event loop that is woken through a pipe.
// check -DNEVER_POLLS: unsafe assertion
// The pipe does not block: a read before the first write fails.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int wake[2];
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static int queued;
static void notify(void) {
    char b = 1;
    ssize_t r;
    do
        r = write(wake[1], &b, 1);
    while (r == -1 && errno == EINTR);
}
static void *loop(void *a) {
    struct pollfd p = {.fd = wake[0], .events = POLLIN};
    int got = 0;
    while (got < 2) {
#ifdef NEVER_POLLS
        int n = 1;
#else
        int n = poll(&p, 1, -1);
#endif
        if (n < 0) {
            if (errno == EINTR)
                continue;
            assert(0);
        }
        char buf[16];
        ssize_t r = read(wake[0], buf, sizeof buf);
        if (r <= 0)
            assert(0);
        pthread_mutex_lock(&mu);
        got += queued;
        queued = 0;
        pthread_mutex_unlock(&mu);
    }
    return NULL;
}
int main(void) {
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK)) {
        perror("pipe2");
        return 1;
    }
    pthread_t t;
    pthread_create(&t, NULL, loop, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mu);
        queued++;
        pthread_mutex_unlock(&mu);
        notify();
    }
    pthread_join(t, NULL);
    close(wake[0]);
    close(wake[1]);
    return 0;
}
