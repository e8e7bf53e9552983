/* Spin locks: a waiting thread is disabled instead of spinning, which reaches the same states.
 * The word is 0 when free, else the owner's number plus one.
 *
 * Misuse ("lock"): unlocking a lock that is free or another's, destroying a held one, using a destroyed
 * one. Where that is not checked: unlocking frees the lock, and destroying changes nothing. */
#include "internal.h"

int pthread_spin_init(volatile unsigned *lock, int shared) {
    (void)shared;
    if (FAILS(init))
        return E_NOMEM;
    *lock = 0;
    return 0;
}

int pthread_spin_destroy(volatile unsigned *lock) {
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == 0)
        *lock = SELVEDGE_DESTROYED;
    else if (word == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "destroys a spin lock that is destroyed");
    else
        __selvedge_violation("lock", "destroys a spin lock that is held");
    __selvedge_atomic_end();
    return 0;
}

int pthread_spin_lock(volatile unsigned *lock) {
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "locks a spin lock that is destroyed");
        word = 0;
    }
    if (word) {
        __selvedge_waits_for((const void *)lock, (int)word - 1);
        __selvedge_block_until(0);
    }
    *lock = __selvedge_owner();
    __selvedge_acquired((const void *)lock, 1);
    __selvedge_atomic_end();
    return 0;
}

int pthread_spin_trylock(volatile unsigned *lock) {
    int error = E_BUSY;
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "locks a spin lock that is destroyed");
        word = 0;
    }
    if (word == 0) {
        *lock = __selvedge_owner();
        __selvedge_acquired((const void *)lock, 1);
        error = 0;
    }
    __selvedge_atomic_end();
    return error;
}

int pthread_spin_unlock(volatile unsigned *lock) {
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "unlocks a spin lock that is destroyed");
    else if (word == 0)
        __selvedge_violation("lock", "unlocks a spin lock that is not locked");
    else if (word != __selvedge_owner())
        __selvedge_violation("lock", "unlocks a spin lock that another thread holds");
    *lock = 0;
    __selvedge_released((const void *)lock);
    __selvedge_atomic_end();
    return 0;
}
