/* Forces one schedule on a program. Only one thread runs at a time. It runs until it comes to its next point of
 * schedule.h, where it waits until all points before that one are done. Points are accesses to shared memory, which
 * the compiler announces (-fsanitize=thread, with the functions below instead of that library), and calls that
 * synchronise, which the linker redirects (--wrap). Both are known by their source line.
 */
#define _GNU_SOURCE
#include "schedule.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT ((int)(sizeof points / sizeof *points) - 1)
#define CALLER ((uintptr_t)__builtin_return_address(0) - 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int cursor;       /* the point whose thread runs; COUNT: the schedule is over */
static int threads = 1;  /* created so far */
static char done[COUNT + 1];
static __thread int self;
static __thread int mine; /* the first own point that has not been reached */
static __thread char *stack_low, *stack_high;

/* The functions that the linker redirects, as they are. The scheduler itself must not come through itself. */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_mutex_lock(pthread_mutex_t *);
int __real_pthread_mutex_trylock(pthread_mutex_t *);
int __real_pthread_mutex_unlock(pthread_mutex_t *);
int __real_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int __real_pthread_cond_broadcast(pthread_cond_t *);
void __real_free(void *);

/* ---- source lines ------------------------------------------------------------------------------------------ */

struct place {
    uintptr_t at;
    int line;
    char file[256];
};
static struct place places[4096];
static int to_tool[2], from_tool[2];

static void start_tool(void)
{
    char self_path[64];
    snprintf(self_path, sizeof self_path, "/proc/%d/exe", (int)getpid());
    if (pipe(to_tool) || pipe(from_tool))
        abort();
    if (fork() == 0) {
        dup2(to_tool[0], 0);
        dup2(from_tool[1], 1);
        close(to_tool[1]);
        close(from_tool[0]);
        execlp("addr2line", "addr2line", "-e", self_path, (char *)0);
        _exit(127);
    }
    close(to_tool[0]);
    close(from_tool[1]);
}

/* The line of an instruction. One thread runs at a time, so nobody else asks. */
static struct place *place_of(uintptr_t at)
{
    struct place *p = &places[at % 4096];
    while (p->at && p->at != at)
        p = p == &places[4095] ? places : p + 1;
    if (p->at)
        return p;
    char text[512] = "", *end = text;
    int length = snprintf(text, sizeof text, "0x%lx\n", (unsigned long)at);
    if (write(to_tool[1], text, (size_t)length) != length)
        abort();
    while (end < text + sizeof text - 1 && read(from_tool[0], end, 1) == 1 && *end != '\n')
        end++;
    *end = 0;
    p->at = at;
    char *colon = strrchr(text, ':'), *slash = strrchr(text, '/');
    if (!colon)
        return p;
    p->line = atoi(colon + 1);
    *colon = 0;
    snprintf(p->file, sizeof p->file, "%.255s", slash ? slash + 1 : text);
    return p;
}

/* ---- turns -------------------------------------------------------------------------------------------------- */

static void pass_on(void)
{
    while (cursor < COUNT && done[cursor])
        cursor++;
    __real_pthread_cond_broadcast(&moved);
}

static int is_turn(int point)
{
    return cursor == point || (cursor == COUNT && self == FAILING);
}

/* Waits until it is the turn of a point of this thread. The points before it are done by now. */
static void wait_for(int point)
{
    __real_pthread_mutex_lock(&lock);
    for (int i = 0; i < point; i++)
        if (points[i].thread == self)
            done[i] = 1;
    mine = point + 1;
    pass_on();
    while (!is_turn(point))
        __real_pthread_cond_wait(&moved, &lock);
    __real_pthread_mutex_unlock(&lock);
}

/* The next own point of this kind on this line, or -1. A call is never skipped for the sake of an access. */
static int find(char kind, const char *call, uintptr_t from)
{
    struct place *at = NULL;
    for (int i = mine; i < COUNT; i++) {
        if (points[i].thread != self)
            continue;
        int is_access = points[i].kind == 'R' || points[i].kind == 'W';
        if (points[i].kind == kind && (!call || strcmp(points[i].call, call) == 0)) {
            at = at ? at : place_of(from);
            if (at->line == points[i].line && strcmp(at->file, points[i].file) == 0)
                return i;
        }
        if (!call && !is_access)
            return -1;
    }
    return -1;
}

/* The thread has no more points. Its turn goes to others, unless it is the one that fails. */
static void leave(void)
{
    __real_pthread_mutex_lock(&lock);
    for (int i = 0; i < COUNT; i++)
        if (points[i].thread == self)
            done[i] = 1;
    mine = COUNT;
    pass_on();
    __real_pthread_mutex_unlock(&lock);
}

/* Waits until the schedule is over: only then is it certain that what this thread waits for will not come. */
static void wait_for_end(void)
{
    __real_pthread_mutex_lock(&lock);
    while (cursor < COUNT || !IS_DEADLOCK)
        __real_pthread_cond_wait(&moved, &lock);
    __real_pthread_mutex_unlock(&lock);
}

/* ---- freed memory ------------------------------------------------------------------------------------------- */

static struct block {
    char *at;
    size_t size;
} *freed;
static int freed_count;
size_t malloc_usable_size(void *);

static void check(const volatile void *address, size_t size, uintptr_t from)
{
    for (int i = 0; i < freed_count; i++)
        if ((char *)address < freed[i].at + freed[i].size && (char *)address + size > freed[i].at) {
            struct place *at = place_of(from);
            fprintf(stderr, "reproduced: thread %d uses freed memory at %s:%d\n", self, at->file, at->line);
            abort();
        }
}

/* Freed memory is kept, so that every later use of it is seen. */
void __wrap_free(void *pointer)
{
    if (!pointer)
        return;
    for (int i = 0; i < freed_count; i++)
        if (freed[i].at == pointer) {
            struct place *at = place_of(CALLER);
            fprintf(stderr, "reproduced: thread %d frees memory twice at %s:%d\n", self, at->file, at->line);
            abort();
        }
    freed = realloc(freed, (size_t)(freed_count + 1) * sizeof *freed);
    freed[freed_count++] = (struct block){pointer, malloc_usable_size(pointer)};
}

/* ---- accesses, as -fsanitize=thread announces them ---------------------------------------------------------- */

static void own_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    pthread_attr_getstack(&attributes, &low, &size);
    stack_low = low;
    stack_high = stack_low + size;
    pthread_attr_destroy(&attributes);
}

static void access_to(const volatile void *address, size_t size, char kind, uintptr_t from)
{
    if (!stack_low)
        own_stack();
    int point = find(kind, NULL, from);
    /* Variables of its own stack that others see are found at their accesses. */
    if (point >= 0 && !((char *)address >= stack_low && (char *)address < stack_high))
        wait_for(point);
    check(address, size, from);
}

#define ACCESS(name, size) \
    void __tsan_read##name(void *a) { access_to(a, size, 'R', CALLER); } \
    void __tsan_write##name(void *a) { access_to(a, size, 'W', CALLER); } \
    void __tsan_read_write##name(void *a) { access_to(a, size, 'R', CALLER); access_to(a, size, 'W', CALLER); }
ACCESS(1, 1) ACCESS(2, 2) ACCESS(4, 4) ACCESS(8, 8) ACCESS(16, 16)
#define UNALIGNED(size) \
    void __tsan_unaligned_read##size(void *a) { access_to(a, size, 'R', CALLER); } \
    void __tsan_unaligned_write##size(void *a) { access_to(a, size, 'W', CALLER); }
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)
void __tsan_read_range(void *a, size_t n) { access_to(a, n, 'R', CALLER); }
void __tsan_write_range(void *a, size_t n) { access_to(a, n, 'W', CALLER); }
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    access_to(from, n, 'R', CALLER);
    access_to(to, n, 'W', CALLER);
    return memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    access_to(from, n, 'R', CALLER);
    access_to(to, n, 'W', CALLER);
    return memmove(to, from, n);
}
void *__tsan_memset(void *to, int value, size_t n)
{
    access_to(to, n, 'W', CALLER);
    return memset(to, value, n);
}
void __tsan_init(void) {}
void __tsan_func_entry(void *call) { (void)call; }
void __tsan_func_exit(void) {}
void __tsan_vptr_read(void *p) { (void)p; }
void __tsan_vptr_update(void *p, void *q) { (void)p, (void)q; }
void __tsan_atomic_thread_fence(int order) { (void)order; __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* A read-modify-write is one step with two points. */
static void both(const volatile void *a, size_t size, uintptr_t from)
{
    access_to(a, size, 'R', from);
    int write = find('W', NULL, from);
    if (write >= 0)
        wait_for(write);
}

#define FETCH(bits, type, name, operation) \
    type __tsan_atomic##bits##_fetch_##name(volatile type *a, type v, int order) \
    { (void)order; both(a, sizeof v, CALLER); return __atomic_fetch_##operation(a, v, __ATOMIC_SEQ_CST); }
#define ATOMIC(bits, type) \
    type __tsan_atomic##bits##_load(const volatile type *a, int order) \
    { (void)order; access_to(a, sizeof *a, 'R', CALLER); return __atomic_load_n(a, __ATOMIC_SEQ_CST); } \
    void __tsan_atomic##bits##_store(volatile type *a, type v, int order) \
    { (void)order; access_to(a, sizeof v, 'W', CALLER); __atomic_store_n(a, v, __ATOMIC_SEQ_CST); } \
    type __tsan_atomic##bits##_exchange(volatile type *a, type v, int order) \
    { (void)order; both(a, sizeof v, CALLER); return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); } \
    FETCH(bits, type, add, add) FETCH(bits, type, sub, sub) FETCH(bits, type, and, and) FETCH(bits, type, or, or) \
    FETCH(bits, type, xor, xor) FETCH(bits, type, nand, nand) \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *c, type v, int order, int failure) \
    { (void)order, (void)failure; both(a, sizeof v, CALLER); \
      return __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *c, type v, int order, int failure) \
    { (void)order, (void)failure; both(a, sizeof v, CALLER); \
      return __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type c, type v, int order, int failure) \
    { (void)order, (void)failure; both(a, sizeof v, CALLER); \
      __atomic_compare_exchange_n(a, &c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return c; }
ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)

/* ---- calls that synchronise --------------------------------------------------------------------------------- */

enum how { FREE, RETURNS, FOR_EVER };

/* Comes to a call: it begins where the schedule says so, and returns where it says that. */
static enum how come_to(const char *call, uintptr_t from, void (*meanwhile)(void *), void *argument)
{
    int point = find('C', call, from), begin = find('B', call, from);
    if (begin >= 0 && (point < 0 || begin < point)) {
        wait_for(begin);
        if (meanwhile)
            meanwhile(argument);
        mine = begin + 1;
        point = find('C', call, from);
        if (point < 0) {
            leave();
            wait_for_end();
            return FOR_EVER;
        }
    }
    if (point < 0)
        return FREE;
    wait_for(point);
    return RETURNS;
}

#define WRAP(name, parameters, arguments) \
    int __real_##name parameters; \
    int __wrap_##name parameters { come_to(#name, CALLER, NULL, NULL); return __real_##name arguments; }
WRAP(pthread_join, (pthread_t t, void **r), (t, r))
WRAP(pthread_mutex_lock, (pthread_mutex_t *m), (m))
WRAP(pthread_mutex_trylock, (pthread_mutex_t *m), (m))
WRAP(pthread_mutex_unlock, (pthread_mutex_t *m), (m))
WRAP(pthread_cond_signal, (pthread_cond_t *c), (c))
WRAP(pthread_cond_broadcast, (pthread_cond_t *c), (c))
WRAP(pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l))
WRAP(pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l))
WRAP(pthread_rwlock_unlock, (pthread_rwlock_t *l), (l))
WRAP(pthread_spin_lock, (pthread_spinlock_t *l), (l))
WRAP(pthread_spin_unlock, (pthread_spinlock_t *l), (l))
WRAP(sem_wait, (sem_t *s), (s))
WRAP(sem_trywait, (sem_t *s), (s))
WRAP(sem_post, (sem_t *s), (s))

static void unlock(void *mutex) { __real_pthread_mutex_unlock(mutex); }

/* The schedule says when a wait ends, so nobody has to signal it. */
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    switch (come_to("pthread_cond_wait", CALLER, unlock, m)) {
    case RETURNS:
        __real_pthread_mutex_trylock(m);
        return 0;
    case FOR_EVER:
        __real_pthread_mutex_lock(m);
        break;
    case FREE:
        break;
    }
    return __real_pthread_cond_wait(c, m);
}

struct start {
    void *(*routine)(void *);
    void *argument;
    int number;
};

static void leave_for_good(void *nothing)
{
    (void)nothing;
    leave();
}

static void *run(void *given)
{
    struct start start = *(struct start *)given;
    __real_free(given);
    self = start.number;
    __real_pthread_mutex_lock(&lock);
    while (!(cursor < COUNT ? points[cursor].thread == self : FAILING == self))
        __real_pthread_cond_wait(&moved, &lock);
    __real_pthread_mutex_unlock(&lock);
    void *result;
    pthread_cleanup_push(leave_for_good, NULL);
    result = start.routine(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    come_to("pthread_create", CALLER, NULL, NULL);
    struct start *start = malloc(sizeof *start);
    *start = (struct start){routine, argument, threads++};
    return __real_pthread_create(t, attributes, run, start);
}

/* ---- inputs, and the competition's functions ---------------------------------------------------------------- */

static unsigned long long input(void)
{
    static int used[sizeof inputs / sizeof *inputs];
    for (int i = 0; i < (int)(sizeof inputs / sizeof *inputs) - 1; i++)
        if (inputs[i].thread == self && !used[i]) {
            used[i] = 1;
            return inputs[i].value;
        }
    return 0;
}

#define INPUT(name, type) \
    __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)input(); }
INPUT(bool, _Bool) INPUT(char, char) INPUT(uchar, unsigned char) INPUT(short, short) INPUT(ushort, unsigned short)
INPUT(int, int) INPUT(uint, unsigned) INPUT(long, long) INPUT(ulong, unsigned long) INPUT(longlong, long long)
INPUT(ulonglong, unsigned long long) INPUT(size_t, size_t) INPUT(unsigned, unsigned)
__attribute__((weak)) void reach_error(void) { fprintf(stderr, "reproduced: reach_error()\n"); abort(); }
__attribute__((weak)) void __VERIFIER_error(void) { fprintf(stderr, "reproduced: __VERIFIER_error()\n"); abort(); }
__attribute__((weak)) void __VERIFIER_assume(int holds) { if (!holds) exit(3); }
__attribute__((weak)) void __VERIFIER_atomic_begin(void) {}
__attribute__((weak)) void __VERIFIER_atomic_end(void) {}

/* ---- the end ------------------------------------------------------------------------------------------------ */

/* Looks on from outside: says so if the schedule is over and everybody waits, or if the program left the schedule. */
static void *watch(void *nothing)
{
    (void)nothing;
    int last = -1, still = 0;
    while (still < 20) {
        usleep(100000);
        __real_pthread_mutex_lock(&lock);
        still = cursor == last ? still + 1 : 0;
        last = cursor;
        __real_pthread_mutex_unlock(&lock);
    }
    if (last == COUNT && IS_DEADLOCK) {
        fprintf(stderr, "reproduced: the schedule is over, and all threads that are left wait for ever\n");
        abort();
    }
    fprintf(stderr, "not reproduced: the program waits at point %d of %d\n", last, COUNT);
    _exit(3);
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t watcher;
    start_tool();
    __real_pthread_create(&watcher, NULL, watch, NULL);
}
