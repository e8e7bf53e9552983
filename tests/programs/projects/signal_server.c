// check: safe
// headline explicit -DBUG_HANDLER: unsafe (deadlock at signal_server.c:22)
// lazy: skip the searches of many engines would take minutes
// A server that signals end, or ask for statistics. Planted: a handler that takes the lock of the thread that it interrupts.
/* main loop ended by SIGTERM, a worker, statistics on SIGUSR1 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <assert.h>
static volatile sig_atomic_t stop, dump;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handled;
static void on_term(int s) { (void)s; stop = 1; }
static void on_usr1(int s)
{
    (void)s;
#ifdef BUG_HANDLER
    pthread_mutex_lock(&lock);
    dump = handled + 1;
    pthread_mutex_unlock(&lock);
#else
    dump = 1;
#endif
}
static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        handled++;
        pthread_mutex_unlock(&lock);
    }
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGTERM);
    return NULL;
}
int main(void)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_term;
    sigemptyset(&sa.sa_mask);
    if (sigaction(SIGTERM, &sa, NULL) || (sa.sa_handler = on_usr1, sigaction(SIGUSR1, &sa, NULL))) {
        perror("sigaction");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    while (!stop) {
        pthread_mutex_lock(&lock);
        int n = handled;
        pthread_mutex_unlock(&lock);
        if (dump) { dump = 0; printf("%d\n", n); }
        usleep(1000);
    }
    pthread_join(t, NULL);
    assert(handled == 2);
    return 0;
}
