/* The operating system: processes, signals, file descriptors. One process with two processors, to which
 * no signal is ever sent; writing succeeds. Functions that read data from outside are not modelled. */
#include "internal.h"

int getpid(void) { return 2; }
int getppid(void) { return 1; }
long gettid(void) { return (long)my_id() + 1; }
int get_nprocs(void) { return 2; }

long sysconf(int name) {
    enum { PAGE_SIZE = 30, PROCESSORS_CONFIGURED = 83, PROCESSORS_ONLINE = 84 };
    if (name == PROCESSORS_CONFIGURED || name == PROCESSORS_ONLINE)
        return 2;
    if (name != PAGE_SIZE)
        __selvedge_unsupported("a sysconf name that is not modelled");
    return 4096;
}

long write(int file, const void *data, __selvedge_size size) {
    (void)file;
    cancellation_point();
    __selvedge_check_read(data, size);
    return (long)size;
}

int close(int file) {
    (void)file;
    cancellation_point();
    return 0;
}

int isatty(int file) { (void)file; return 0; }
int fsync(int file) { (void)file; return 0; }

/* ---- signals ---- */

void (*signal(int number, void (*handler)(int)))(int) {
    (void)number, (void)handler;
    return SELVEDGE_NULL;
}

int sigaction(int number, const void *action, void *old) {
    (void)number, (void)action;
    if (old)
        __selvedge_unsupported("reading back a signal action");
    return 0;
}

#define SIGNAL_WORDS (128 / sizeof(unsigned long))

static int fill_signals(unsigned long *set, unsigned long word) {
    for (unsigned i = 0; i < SIGNAL_WORDS; i++)
        set[i] = word;
    return 0;
}

int sigemptyset(unsigned long *set) { return fill_signals(set, 0); }
int sigfillset(unsigned long *set) { return fill_signals(set, ~0ul); }

int sigaddset(unsigned long *set, int number) { (void)set, (void)number; return 0; }
int sigdelset(unsigned long *set, int number) { (void)set, (void)number; return 0; }

int pthread_sigmask(int how, const void *set, void *old) {
    (void)how, (void)set;
    if (old)
        fill_signals(old, 0);
    return 0;
}

int sigprocmask(int how, const void *set, void *old) {
    (void)how, (void)set;
    if (old)
        fill_signals(old, 0);
    return 0;
}

int raise(int number) {
    (void)number;
    __selvedge_unsupported("raise");
}
