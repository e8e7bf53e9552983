/* The operating system: one process, on two processors. Other processes are not modelled, and named when one is to be
 * created. */
#include "internal.h"

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
void *popen(const char *command, const char *mode) { (void)command, (void)mode; __selvedge_unsupported("popen"); }
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
