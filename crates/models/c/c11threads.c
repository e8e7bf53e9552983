/* <threads.h>, over the same core as pthreads. A thread's int result travels as a pointer. */
#include "internal.h"
#include "cond.c"
#include "keys.c"
#include "mutex.c"
#include "once.c"
#include "threads.c"

enum { THRD_SUCCESS = 0, THRD_BUSY = 1, THRD_ERROR = 2, THRD_TIMEDOUT = 4 };

static int thrd_result(int error) {
    return error == 0 ? THRD_SUCCESS : error == E_BUSY ? THRD_BUSY : error == E_TIMEDOUT ? THRD_TIMEDOUT : THRD_ERROR;
}

static void c11_thread_body(void *start, void *arg) {
    leave_thread((void *)(long)((int (*)(void *))start)(arg));
}

int thrd_create(unsigned long *handle, int (*start)(void *), void *arg) {
    return thrd_result(create_thread(handle, c11_thread_body, (void *)start, arg, 0));
}

int thrd_join(unsigned long handle, int *result) {
    void *value = SELVEDGE_NULL;
    int error = join_thread(handle, &value);
    if (!error && result)
        *result = (int)(long)value;
    return thrd_result(error);
}

int thrd_detach(unsigned long handle) {
    return thrd_result(detach_thread(handle));
}

void thrd_exit(int result) {
    leave_thread((void *)(long)result);
}

unsigned long thrd_current(void) {
    return my_id();
}

int thrd_equal(unsigned long a, unsigned long b) {
    return is_one_thread(a, b);
}

void thrd_yield(void) {
    __selvedge_yield();
}

int thrd_sleep(const struct selvedge_timespec *duration, struct selvedge_timespec *remaining) {
    (void)remaining;
    __selvedge_check_read(duration, sizeof *duration);
    cancellation_point();
    __selvedge_yield();
    return 0;
}

int mtx_init(struct selvedge_mutex *m, int type) {
    return thrd_result(init_mutex(m, type & 1 ? MUTEX_RECURSIVE : MUTEX_NORMAL));
}

void mtx_destroy(struct selvedge_mutex *m) {
    destroy_mutex(m);
}

int mtx_lock(struct selvedge_mutex *m) {
    return thrd_result(lock_mutex(m));
}

int mtx_trylock(struct selvedge_mutex *m) {
    return thrd_result(lock_mutex_or(m, E_BUSY));
}

int mtx_timedlock(struct selvedge_mutex *m, const struct selvedge_timespec *until) {
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return thrd_result(lock_mutex_or(m, E_TIMEDOUT));
}

int mtx_unlock(struct selvedge_mutex *m) {
    return thrd_result(unlock_mutex(m));
}

int cnd_init(struct selvedge_cond *c) {
    return thrd_result(init_cond(c));
}

void cnd_destroy(struct selvedge_cond *c) {
    destroy_cond(c);
}

int cnd_wait(struct selvedge_cond *c, struct selvedge_mutex *m) {
    return thrd_result(wait_cond(c, m, SELVEDGE_NULL));
}

int cnd_timedwait(struct selvedge_cond *c, struct selvedge_mutex *m, const struct selvedge_timespec *until) {
    return thrd_result(wait_cond(c, m, until));
}

int cnd_signal(struct selvedge_cond *c) {
    return thrd_result(signal_cond(c));
}

int cnd_broadcast(struct selvedge_cond *c) {
    return thrd_result(broadcast_cond(c));
}

int tss_create(unsigned *key, void (*destructor)(void *)) {
    return thrd_result(create_key(key, destructor));
}

void tss_delete(unsigned key) {
    delete_key(key);
}

void *tss_get(unsigned key) {
    return get_specific(key);
}

int tss_set(unsigned key, void *value) {
    return thrd_result(set_specific(key, value));
}

void call_once(int *flag, void (*routine)(void)) {
    run_once(flag, routine);
}
