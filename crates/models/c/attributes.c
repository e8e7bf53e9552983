/* Attributes of threads, their names, and where and how urgently they run. Only the detach state means anything to us: every
 * interleaving is explored anyhow. The other attributes are kept to be read back. There are two processors. */
#include "internal.h"
#include "memory.c"
#include "string.c"
#include "threads.c"

static int all_processors(void *set, __selvedge_size size) {
    if (!size)
        return E_INVAL;
    __builtin_memset(set, 0, size);
    *(unsigned char *)set = 3;
    return 0;
}

/* ---- attributes: only the detach state means anything to us; the others are kept to be read back ---- */

static int default_attributes(struct selvedge_attr *attr) {
    attr->detached = 0;
    attr->scope = 0;
    attr->policy = 0;
    attr->inherit = 0;
    attr->priority = 0;
    attr->stack_size = 8u << 20;
    attr->guard_size = 4096;
    attr->stack = SELVEDGE_NULL;
    return 0;
}

int pthread_attr_init(struct selvedge_attr *attr) {
    if (FAILS(init))
        return E_NOMEM;
    return default_attributes(attr);
}

int pthread_attr_destroy(struct selvedge_attr *attr) {
    (void)attr;
    return 0;
}

int pthread_attr_setdetachstate(struct selvedge_attr *attr, int state) {
    if (state != 0 && state != 1)
        return E_INVAL;
    attr->detached = state;
    return 0;
}

int pthread_attr_getdetachstate(const struct selvedge_attr *attr, int *state) {
    *state = attr->detached;
    return 0;
}

#define SELVEDGE_ATTR(name, type, field)                                         \
    int pthread_attr_set##name(struct selvedge_attr *attr, type value) {         \
        attr->field = value;                                                     \
        return 0;                                                                \
    }                                                                            \
    int pthread_attr_get##name(const struct selvedge_attr *attr, type *value) {  \
        *value = attr->field;                                                    \
        return 0;                                                                \
    }

SELVEDGE_ATTR(scope, int, scope)
SELVEDGE_ATTR(schedpolicy, int, policy)
SELVEDGE_ATTR(inheritsched, int, inherit)
SELVEDGE_ATTR(stacksize, __selvedge_size, stack_size)
SELVEDGE_ATTR(guardsize, __selvedge_size, guard_size)
SELVEDGE_ATTR(stackaddr, void *, stack)

int pthread_attr_setschedparam(struct selvedge_attr *attr, const int *priority) {
    attr->priority = *priority;
    return 0;
}

int pthread_attr_getschedparam(const struct selvedge_attr *attr, int *priority) {
    *priority = attr->priority;
    return 0;
}

int pthread_attr_setstack(struct selvedge_attr *attr, void *stack, __selvedge_size size) {
    attr->stack = stack;
    attr->stack_size = size;
    return 0;
}

int pthread_attr_getstack(const struct selvedge_attr *attr, void **stack, __selvedge_size *size) {
    *stack = attr->stack;
    *size = attr->stack_size;
    return 0;
}

int pthread_attr_setaffinity_np(struct selvedge_attr *attr, __selvedge_size size, const void *set) {
    (void)attr;
    __selvedge_check_read(set, size);
    return 0;
}

int pthread_attr_getaffinity_np(const struct selvedge_attr *attr, __selvedge_size size, void *set) {
    (void)attr;
    return all_processors(set, size);
}

/* The attributes of a thread that runs: the defaults, for its stack is not a place that others could name. */
int pthread_getattr_np(unsigned long handle, struct selvedge_attr *attr) {
    if (!is_thread(handle))
        return E_SRCH;
    __builtin_memset(attr, 0, sizeof *attr);
    attr->stack_size = 8u << 20;
    attr->guard_size = 4096;
    attr->detached = thread_record((int)handle - 1)->detached;
    return 0;
}

int pthread_attr_setsigmask_np(struct selvedge_attr *attr, const void *set) { (void)attr, (void)set; return 0; }
int pthread_getattr_default_np(struct selvedge_attr *attr) { return default_attributes(attr); }
int pthread_setattr_default_np(const struct selvedge_attr *attr) { (void)attr; return 0; }

/* ---- scheduling hints: every interleaving is explored anyhow ---- */

int pthread_setconcurrency(int level) {
    (void)level;
    return 0;
}

int pthread_getconcurrency(void) {
    return 0;
}

int pthread_setschedparam(unsigned long handle, int policy, const int *priority) {
    (void)handle, (void)policy, (void)priority;
    return 0;
}

int pthread_getschedparam(unsigned long handle, int *policy, int *priority) {
    (void)handle;
    *policy = 0;
    *priority = 0;
    return 0;
}

int pthread_setschedprio(unsigned long handle, int priority) {
    (void)handle, (void)priority;
    return 0;
}

int pthread_yield(void) {
    __selvedge_yield();
    return 0;
}

/* ---- names ---- */

enum { NAME_BYTES = 16 };
struct thread_name { char text[NAME_BYTES]; };
static _Thread_local struct thread_name selvedge_name;

static int name_thread(unsigned long handle, const char *name) {
    if (!is_thread(handle))
        return E_SRCH;
    __selvedge_size length = text_length(name);
    if (length >= NAME_BYTES)
        return E_RANGE;
    struct thread_name *own = __selvedge_tls_of((int)handle - 1, &selvedge_name);
    __selvedge_atomic_begin();
    __builtin_memset(own, 0, sizeof *own);
    __builtin_memcpy(own->text, name, length);
    __selvedge_atomic_end();
    return 0;
}

static int read_name(unsigned long handle, char *to, __selvedge_size size) {
    if (!is_thread(handle))
        return E_SRCH;
    if (size < NAME_BYTES)
        return E_RANGE;
    struct thread_name *own = __selvedge_tls_of((int)handle - 1, &selvedge_name);
    __selvedge_atomic_begin();
    __builtin_memcpy(to, own->text, NAME_BYTES);
    __selvedge_atomic_end();
    return 0;
}

int pthread_setname_np(unsigned long handle, const char *name) { return name_thread(handle, name); }
int pthread_getname_np(unsigned long handle, char *to, __selvedge_size size) { return read_name(handle, to, size); }

int prctl(int option, ...) {
    enum { SET_NAME = 15, GET_NAME = 16 };
    __builtin_va_list args;
    __builtin_va_start(args, option);
    if (option == SET_NAME)
        name_thread(my_id(), __builtin_va_arg(args, const char *));
    else if (option == GET_NAME)
        read_name(my_id(), __builtin_va_arg(args, char *), NAME_BYTES);
    __builtin_va_end(args);
    return 0;
}

/* ---- processors ---- */

int pthread_setaffinity_np(unsigned long handle, __selvedge_size size, const void *set) {
    __selvedge_check_read(set, size);
    return is_thread(handle) ? 0 : E_SRCH;
}

int pthread_getaffinity_np(unsigned long handle, __selvedge_size size, void *set) {
    return is_thread(handle) ? all_processors(set, size) : E_SRCH;
}

int sched_setaffinity(int process, __selvedge_size size, const void *set) {
    (void)process;
    __selvedge_check_read(set, size);
    return 0;
}

int sched_getaffinity(int process, __selvedge_size size, void *set) {
    (void)process;
    if (all_processors(set, size)) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    return 0;
}

int sched_getcpu(void) { return (int)__selvedge_nondet_range(0, 1); }

int getcpu(unsigned *processor, unsigned *node) {
    if (processor)
        *processor = (unsigned)__selvedge_nondet_range(0, 1);
    if (node)
        *node = 0;
    return 0;
}

int __sched_cpucount(__selvedge_size size, const unsigned char *set) {
    int count = 0;
    for (__selvedge_size i = 0; i < size; i++)
        count += __builtin_popcount(set[i]);
    return count;
}

void *__sched_cpualloc(__selvedge_size count) { return allocate((count + 63) / 64 * 8, 8); }
void __sched_cpufree(void *set) { if (set) __selvedge_free(set); }

/* ---- priorities ---- */

int sched_setscheduler(int process, int policy, const int *priority) { (void)process, (void)policy, (void)priority; return 0; }
int sched_getscheduler(int process) { (void)process; return 0; }
int sched_setparam(int process, const int *priority) { (void)process, (void)priority; return 0; }
int sched_getparam(int process, int *priority) { (void)process; *priority = 0; return 0; }
int sched_get_priority_max(int policy) { return policy == 1 || policy == 2 ? 99 : 0; }
int sched_get_priority_min(int policy) { return policy == 1 || policy == 2 ? 1 : 0; }
int nice(int by) { (void)by; return 0; }
int setpriority(int which, unsigned who, int priority) { (void)which, (void)who, (void)priority; return 0; }
int getpriority(int which, unsigned who) { (void)which, (void)who; return 0; }
