// What app.c calls, for Selvedge. The comments of selvedge.h are the reference.
#include <pthread.h>
#include "selvedge.h"

struct rtos_mutex {
    int taken;
};

void rtos_lock(struct rtos_mutex *mutex) {
    __selvedge_atomic_begin();
    __selvedge_block_until(!mutex->taken); /* cannot run until this holds */
    mutex->taken = 1;
    __selvedge_atomic_end();
}

void rtos_unlock(struct rtos_mutex *mutex) {
    __selvedge_atomic_begin();
    if (!mutex->taken)
        __selvedge_violation("lock", "unlocks a mutex that is not locked");
    mutex->taken = 0;
    __selvedge_atomic_end();
}

static void *task(void *arg) {
    ((void (*)(void))arg)();
    return 0;
}

void rtos_start(void (*run)(void)) {
    pthread_t thread;
    pthread_create(&thread, 0, task, (void *)run);
}
