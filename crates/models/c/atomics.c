/* The library calls that compilers emit for atomic accesses of sizes the machine has no instruction for,
 * and the functions of <stdatomic.h> that some programs declare themselves. Memory is sequentially
 * consistent, so orders and fences mean nothing.
 *
 * The library's names are builtins to the compiler, which takes no definitions of them: they are given
 * as assembler names. */
#include "internal.h"
#include "string.c"

#define LIBATOMIC(name) __asm__(#name)

void selvedge_atomic_load(__selvedge_size n, void *from, void *to, int order) LIBATOMIC(__atomic_load);
void selvedge_atomic_load(__selvedge_size n, void *from, void *to, int order) {
    (void)order;
    __selvedge_atomic_begin();
    __builtin_memcpy(to, from, n);
    __selvedge_atomic_end();
}

void selvedge_atomic_store(__selvedge_size n, void *to, void *from, int order) LIBATOMIC(__atomic_store);
void selvedge_atomic_store(__selvedge_size n, void *to, void *from, int order) {
    (void)order;
    __selvedge_atomic_begin();
    __builtin_memcpy(to, from, n);
    __selvedge_atomic_end();
}

void selvedge_atomic_exchange(__selvedge_size n, void *object, void *value, void *old, int order) LIBATOMIC(__atomic_exchange);
void selvedge_atomic_exchange(__selvedge_size n, void *object, void *value, void *old, int order) {
    (void)order;
    char before[n ? n : 1]; /* value and old may be the same place */
    __selvedge_atomic_begin();
    __builtin_memcpy(before, object, n);
    __builtin_memcpy(object, value, n);
    __selvedge_atomic_end();
    __builtin_memcpy(old, before, n);
}

_Bool selvedge_atomic_compare_exchange(__selvedge_size n, void *object, void *expected, void *desired, int success, int failure)
    LIBATOMIC(__atomic_compare_exchange);
_Bool selvedge_atomic_compare_exchange(__selvedge_size n, void *object, void *expected, void *desired, int success, int failure) {
    (void)success, (void)failure;
    __selvedge_atomic_begin();
    _Bool same = compare_bytes(object, expected, n) == 0;
    if (same)
        __builtin_memcpy(object, desired, n);
    else
        __builtin_memcpy(expected, object, n);
    __selvedge_atomic_end();
    return same;
}

_Bool selvedge_atomic_is_lock_free(__selvedge_size n, void *object) LIBATOMIC(__atomic_is_lock_free);
_Bool selvedge_atomic_is_lock_free(__selvedge_size n, void *object) {
    (void)object;
    return n == 1 || n == 2 || n == 4 || n == 8;
}

#define ATOMIC_FETCH(N, type, name, expression)                                               \
    type selvedge_atomic_##name##_##N(type *object, type value, int order)                    \
        LIBATOMIC(__atomic_##name##_##N);                                                     \
    type selvedge_atomic_##name##_##N(type *object, type value, int order) {                  \
        (void)order;                                                                          \
        __selvedge_atomic_begin();                                                            \
        type old = *object;                                                                   \
        *object = (type)(expression);                                                         \
        __selvedge_atomic_end();                                                              \
        return old;                                                                           \
    }

#define ATOMIC_SIZE(N, type)                                                                  \
    type selvedge_atomic_load_##N(type *object, int order) LIBATOMIC(__atomic_load_##N);      \
    type selvedge_atomic_load_##N(type *object, int order) {                                  \
        (void)order;                                                                          \
        __selvedge_atomic_begin();                                                            \
        type value = *object;                                                                 \
        __selvedge_atomic_end();                                                              \
        return value;                                                                         \
    }                                                                                         \
    void selvedge_atomic_store_##N(type *object, type value, int order)                       \
        LIBATOMIC(__atomic_store_##N);                                                        \
    void selvedge_atomic_store_##N(type *object, type value, int order) {                     \
        (void)order;                                                                          \
        __selvedge_atomic_begin();                                                            \
        *object = value;                                                                      \
        __selvedge_atomic_end();                                                              \
    }                                                                                         \
    _Bool selvedge_atomic_compare_exchange_##N(type *object, type *expected, type desired,    \
                                               int success, int failure)                      \
        LIBATOMIC(__atomic_compare_exchange_##N);                                             \
    _Bool selvedge_atomic_compare_exchange_##N(type *object, type *expected, type desired,    \
                                               int success, int failure) {                    \
        (void)success, (void)failure;                                                         \
        __selvedge_atomic_begin();                                                            \
        _Bool same = *object == *expected;                                                    \
        if (same)                                                                             \
            *object = desired;                                                                \
        else                                                                                  \
            *expected = *object;                                                              \
        __selvedge_atomic_end();                                                              \
        return same;                                                                          \
    }                                                                                         \
    ATOMIC_FETCH(N, type, exchange, value)                                                    \
    ATOMIC_FETCH(N, type, fetch_add, old + value)                                             \
    ATOMIC_FETCH(N, type, fetch_sub, old - value)                                             \
    ATOMIC_FETCH(N, type, fetch_and, old & value)                                             \
    ATOMIC_FETCH(N, type, fetch_or, old | value)                                              \
    ATOMIC_FETCH(N, type, fetch_xor, old ^ value)                                             \
    ATOMIC_FETCH(N, type, fetch_nand, ~(old & value))

ATOMIC_SIZE(1, unsigned char)
ATOMIC_SIZE(2, unsigned short)
ATOMIC_SIZE(4, unsigned)
ATOMIC_SIZE(8, unsigned long long)
#ifdef __SIZEOF_INT128__
ATOMIC_SIZE(16, unsigned __int128)
#endif

void atomic_thread_fence(int order) { __atomic_thread_fence(order); }
void atomic_signal_fence(int order) { __atomic_signal_fence(order); }

static _Bool test_and_set(volatile unsigned char *flag) {
    __selvedge_atomic_begin();
    _Bool was = *flag;
    *flag = 1;
    __selvedge_atomic_end();
    return was;
}

_Bool atomic_flag_test_and_set(volatile void *flag) { return test_and_set(flag); }
_Bool atomic_flag_test_and_set_explicit(volatile void *flag, int order) { (void)order; return test_and_set(flag); }
void atomic_flag_clear(volatile void *flag) { *(volatile unsigned char *)flag = 0; }
void atomic_flag_clear_explicit(volatile void *flag, int order) { (void)order; *(volatile unsigned char *)flag = 0; }
