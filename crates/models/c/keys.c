/* Thread-specific data. A dying thread runs the destructors of its non-null values, over and over while
 * they set new ones, at most PTHREAD_DESTRUCTOR_ITERATIONS times. */
#include "internal.h"

enum { KEYS = 16, DESTRUCTOR_ITERATIONS = 4 };

struct selvedge_key {
    void (*destructor)(void *);
    _Bool used;
};
static struct selvedge_key selvedge_keys[KEYS];
static _Thread_local void *selvedge_values[KEYS];

static void run_destructors(void) {
    for (int round = 0; round < DESTRUCTOR_ITERATIONS; round++) {
        _Bool any = 0;
        for (int k = 0; k < KEYS; k++) {
            void (*destructor)(void *) = selvedge_keys[k].destructor;
            void *value = selvedge_values[k];
            if (value && destructor) {
                selvedge_values[k] = SELVEDGE_NULL;
                destructor(value);
                any = 1;
            }
        }
        if (!any)
            return;
    }
}

static int create_key(unsigned *key, void (*destructor)(void *)) {
    if (FAILS(init))
        return E_AGAIN;
    int k = 0;
    __selvedge_atomic_begin();
    selvedge_run_destructors = run_destructors;
    while (k < KEYS && selvedge_keys[k].used)
        k++;
    if (k == KEYS)
        __selvedge_unsupported("more than 16 keys of thread-specific data");
    selvedge_keys[k].used = 1;
    selvedge_keys[k].destructor = destructor;
    /* Values left over from a deleted key of this number must not show through. */
    int threads = __selvedge_threads();
    for (int t = 0; t < threads; t++)
        ((void **)__selvedge_tls_of(t, selvedge_values))[k] = SELVEDGE_NULL;
    __selvedge_atomic_end();
    *key = (unsigned)k;
    return 0;
}

static int delete_key(unsigned key) {
    int error = E_INVAL;
    __selvedge_atomic_begin();
    if (key < KEYS && selvedge_keys[key].used) {
        selvedge_keys[key].used = 0;
        selvedge_keys[key].destructor = SELVEDGE_NULL;
        error = 0;
    }
    __selvedge_atomic_end();
    return error;
}

static void *get_specific(unsigned key) {
    return key < KEYS ? selvedge_values[key] : SELVEDGE_NULL;
}

static int set_specific(unsigned key, const void *value) {
    if (key >= KEYS || !selvedge_keys[key].used)
        return E_INVAL;
    selvedge_values[key] = (void *)value;
    return 0;
}

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
    return create_key(key, destructor);
}

int pthread_key_delete(unsigned key) {
    return delete_key(key);
}

void *pthread_getspecific(unsigned key) {
    return get_specific(key);
}

int pthread_setspecific(unsigned key, const void *value) {
    return set_specific(key, value);
}
