/* The operating system: one process, on two processors. Other processes are not modelled, and named when one is to be
 * created. */
#include "internal.h"
#include "memory.c"
#include "time.c"

int getpid(void) { return 2; }
int getppid(void) { return 1; }
long gettid(void) { return (long)my_id() + 1; }
int get_nprocs(void) { return 2; }

long sysconf(int name) {
    enum { ARGUMENT_BYTES = 0, CHILDREN = 1, CLOCK_TICKS = 2, GROUPS = 3, OPEN_FILES = 4, VERSION = 29, PAGE_SIZE = 30,
           SEMAPHORE_MOST = 33, THREADS = 67, DESTRUCTOR_ROUNDS = 73, KEYS_MOST = 74, STACK_LEAST = 75, THREADS_MOST = 76,
           PROCESSORS_CONFIGURED = 83, PROCESSORS_ONLINE = 84, PAGES = 85, PAGES_FREE = 86, HOST_NAME_MOST = 180 };
    static const struct { int name; long value; } known[] = {
        {ARGUMENT_BYTES, 2097152}, {CHILDREN, 65536}, {CLOCK_TICKS, 100}, {GROUPS, 65536}, {OPEN_FILES, 1024}, {VERSION, 200809},
        {SEMAPHORE_MOST, 2147483647}, {THREADS, 200809}, {DESTRUCTOR_ROUNDS, 4}, {KEYS_MOST, 1024}, {STACK_LEAST, 16384},
        {THREADS_MOST, -1}, {PAGES, 1048576}, {PAGES_FREE, 524288}, {HOST_NAME_MOST, 64},
    };
    if (name == PROCESSORS_CONFIGURED || name == PROCESSORS_ONLINE)
        return 2;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].name == name)
            return known[i].value;
    if (name < 0 || name > 260) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    if (name != PAGE_SIZE)
        __selvedge_unsupported("a sysconf name that is not modelled");
    return 4096;
}

int isatty(int file) { (void)file; return 0; }

/* ---- what the process has used, and may use ---- */

struct selvedge_time {
    long seconds;
    long microseconds;
};

/* The processor time is that of clock(); everything else was used to any extent. */
int getrusage(int whose, struct selvedge_time *to) {
    enum { OTHER_COUNTS = 14 };
    if (whose < -1 || whose > 1) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    long *counts = (long *)(to + 2);
    long used = processor_microseconds();
    to[0].seconds = used / 1000000;
    to[0].microseconds = used % 1000000;
    to[1].seconds = to[1].microseconds = 0;
    for (int i = 0; i < OTHER_COUNTS; i++)
        counts[i] = (long)__selvedge_nondet_range(0, 0x7FFFFFFF);
    return 0;
}

/* In ticks of a hundredth of a second. */
long times(long *to) {
    long ticks = processor_microseconds() / 10000;
    if (to) {
        to[0] = ticks;
        to[1] = to[2] = to[3] = 0;
    }
    return ticks;
}

enum { LIMITS = 16 };

/* Any limit, which may be raised without end. */
int getrlimit(unsigned resource, unsigned long *to) {
    if (resource >= LIMITS) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    to[0] = (unsigned long)__selvedge_nondet_range(0, ~0ul);
    to[1] = ~0ul;
    return 0;
}

int setrlimit(unsigned resource, const unsigned long *limits) {
    if (resource < LIMITS && limits[0] <= limits[1])
        return 0;
    selvedge_errno = E_INVAL;
    return -1;
}

int gethostname(char *to, __selvedge_size size) {
    static const char name[] = "localhost";
    if (size < sizeof name) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    __builtin_memcpy(to, name, sizeof name);
    return 0;
}

int uname(char *to) {
    enum { FIELD = 65 };
    static const char *const fields[] = {"Linux", "localhost", "6.1.0", "#1 SMP", sizeof(long) == 8 ? "x86_64" : "i686", ""};
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        unsigned at = 0;
        do
            to[i * FIELD + at] = fields[i][at];
        while (fields[i][at++]);
    }
    return 0;
}

/* ---- the stack, as execinfo.h shows it ---- */

int backtrace(void **to, int size) {
    int count = size > 0 ? (int)__selvedge_nondet_range(1, (unsigned)size) : 0;
    for (int i = 0; i < count; i++)
        to[i] = (void *)(__UINTPTR_TYPE__)(0x400000 + (unsigned)i);
    return count;
}

/* One block, which the caller frees: the pointers, and behind them the texts. */
char **backtrace_symbols(void *const *addresses, int size) {
    static const char text[] = "[0x400000]";
    if (size <= 0)
        return allocate(1, 1);
    __selvedge_check_read(addresses, (unsigned)size * sizeof *addresses);
    char **symbols = allocate((unsigned)size * (sizeof *symbols + sizeof text), sizeof *symbols);
    char *texts = symbols ? (char *)(symbols + size) : SELVEDGE_NULL;
    for (int i = 0; symbols && i < size; i++) {
        symbols[i] = texts + (unsigned)i * sizeof text;
        __builtin_memcpy(symbols[i], text, sizeof text);
    }
    return symbols;
}

void backtrace_symbols_fd(void *const *addresses, int size, int file) {
    (void)file;
    if (size > 0)
        __selvedge_check_read(addresses, (unsigned)size * sizeof *addresses);
}

/* ---- processes ---- */

int fork(void) { __selvedge_unsupported("fork"); }
int vfork(void) { __selvedge_unsupported("vfork"); }
int clone(int (*start)(void *), void *stack, int flags, void *arg, ...) { (void)start, (void)stack, (void)flags, (void)arg; __selvedge_unsupported("clone"); }
int posix_spawn(int *process, const char *path, ...) { (void)process, (void)path; __selvedge_unsupported("posix_spawn"); }
int posix_spawnp(int *process, const char *path, ...) { (void)process, (void)path; __selvedge_unsupported("posix_spawnp"); }
int execv(const char *path, char *const *words) { (void)path, (void)words; __selvedge_unsupported("execv"); }
int execvp(const char *path, char *const *words) { (void)path, (void)words; __selvedge_unsupported("execvp"); }
int execve(const char *path, char *const *words, char *const *environment) { (void)path, (void)words, (void)environment; __selvedge_unsupported("execve"); }
int execl(const char *path, const char *word, ...) { (void)path, (void)word; __selvedge_unsupported("execl"); }
int execlp(const char *path, const char *word, ...) { (void)path, (void)word; __selvedge_unsupported("execlp"); }
int daemon(int stay, int keep) { (void)stay, (void)keep; __selvedge_unsupported("daemon"); }

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    (void)prepare, (void)parent, (void)child;
    return 0;
}

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *handle) {
    (void)prepare, (void)parent, (void)child, (void)handle;
    return 0;
}

/* There are no children. */
static int no_child(void) {
    selvedge_errno = E_CHILD;
    return -1;
}

int wait(int *status) { (void)status; return no_child(); }
int waitpid(int process, int *status, int options) { (void)process, (void)status, (void)options; return no_child(); }

unsigned getuid(void) { return 1000; }
unsigned geteuid(void) { return 1000; }
unsigned getgid(void) { return 1000; }
unsigned getegid(void) { return 1000; }
int getpagesize(void) { return 4096; }
int get_nprocs_conf(void) { return 2; }
char *setlocale(int category, const char *name) { (void)category, (void)name; return "C"; }
