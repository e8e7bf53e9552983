// check: safe
// A loop that ends when a timer's handler says so.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static volatile sig_atomic_t ticks;
static volatile sig_atomic_t stop;
static void on_alarm(int sig) {
    (void)sig;
    int e = errno;
    ticks++;
    if (ticks == 1)
        stop = 1;
    errno = e;
}
int main(void) {
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_alarm;
    sigemptyset(&sa.sa_mask);
    sa.sa_flags = SA_RESTART;
    if (sigaction(SIGALRM, &sa, NULL) < 0) {
        perror("sigaction");
        exit(1);
    }
    struct itimerval it = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &it, NULL);
    unsigned long n = 0;
    while (!stop) {
        n = !n;
    }
    printf("%lu\n", n);
    return ticks == 1 ? 0 : 1;
}
