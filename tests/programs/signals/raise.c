// check: safe
// A raised signal is handled before raise returns; masks, one-shot actions and old actions are kept.
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>

static volatile sig_atomic_t count, last;

static void handler(int number) {
    count++;
    last = number;
}

static void with_information(int number, siginfo_t *information, void *context) {
    count += 10;
    assert(information->si_signo == number);
}

int main(void) {
    assert(signal(SIGUSR1, handler) == SIG_DFL);
    raise(SIGUSR1);
    assert(count == 1 && last == SIGUSR1);
    struct sigaction action = {.sa_sigaction = with_information, .sa_flags = SA_SIGINFO | SA_RESETHAND}, old;
    sigemptyset(&action.sa_mask);
    assert(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == handler);
    raise(SIGUSR1);
    assert(count == 11);
    sigaction(SIGUSR1, NULL, &old);
    assert(old.sa_handler == SIG_DFL);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    assert(sigismember(&set, SIGINT) && !sigismember(&set, SIGTERM));
    signal(SIGINT, handler);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGINT);
    assert(count == 11);
    int number;
    assert(sigwait(&set, &number) == 0 && number == SIGINT && count == 11);
    raise(SIGTERM);
    assert(0); /* the default action ended the process */
    return 0;
}
