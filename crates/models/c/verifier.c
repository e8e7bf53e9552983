/* The functions that verification benchmarks call: SV-COMP's, CBMC's and ESBMC's, and the failing ends of
 * assert(). Functions named nondet_* that a program declares and does not define are given a body by
 * the front end. */
#include "internal.h"

/* ---- nondeterministic inputs ---- */

static unsigned long any_word(void) {
    return sizeof(long) == 8 ? (unsigned long)__selvedge_nondet_u64() : (unsigned long)(unsigned)__selvedge_nondet_int();
}

#define NONDET(name, type, expression) \
    type __VERIFIER_nondet_##name(void) { return (type)(expression); }

NONDET(bool, _Bool, __selvedge_nondet_bool())
NONDET(_Bool, _Bool, __selvedge_nondet_bool())
NONDET(char, char, __selvedge_nondet_range(0, 255))
NONDET(schar, signed char, __selvedge_nondet_range(0, 255))
NONDET(uchar, unsigned char, __selvedge_nondet_range(0, 255))
NONDET(unsigned_char, unsigned char, __selvedge_nondet_range(0, 255))
NONDET(u8, unsigned char, __selvedge_nondet_range(0, 255))
NONDET(short, short, __selvedge_nondet_range(0, 0xFFFF))
NONDET(ushort, unsigned short, __selvedge_nondet_range(0, 0xFFFF))
NONDET(u16, unsigned short, __selvedge_nondet_range(0, 0xFFFF))
NONDET(int, int, __selvedge_nondet_int())
NONDET(uint, unsigned, __selvedge_nondet_int())
NONDET(unsigned, unsigned, __selvedge_nondet_int())
NONDET(unsigned_int, unsigned, __selvedge_nondet_int())
NONDET(u32, unsigned, __selvedge_nondet_int())
NONDET(U32, unsigned, __selvedge_nondet_int())
NONDET(long, long, any_word())
NONDET(ulong, unsigned long, any_word())
NONDET(unsigned_long, unsigned long, any_word())
NONDET(longlong, long long, __selvedge_nondet_u64())
NONDET(ulonglong, unsigned long long, __selvedge_nondet_u64())
NONDET(loff_t, long long, __selvedge_nondet_u64())
NONDET(size_t, __selvedge_size, any_word())
NONDET(ssize_t, long, any_word())
NONDET(sector_t, unsigned long, any_word())
NONDET(pthread_t, unsigned long, any_word())
#ifdef __SIZEOF_INT128__
NONDET(int128, __int128, (unsigned __int128)__selvedge_nondet_u64() << 64 | __selvedge_nondet_u64())
NONDET(uint128, unsigned __int128, (unsigned __int128)__selvedge_nondet_u64() << 64 | __selvedge_nondet_u64())
#endif

/* Null, a pointer that points to nothing, or by chance one to an object. */
static void *any_pointer(void) {
    return (void *)(unsigned long)__selvedge_nondet_u64();
}
NONDET(pointer, void *, any_pointer())
NONDET(pchar, char *, any_pointer())
NONDET(charp, char *, any_pointer())

float __VERIFIER_nondet_float(void) {
    __selvedge_unsupported("a nondeterministic float");
}

double __VERIFIER_nondet_double(void) {
    __selvedge_unsupported("a nondeterministic double");
}

void __VERIFIER_nondet_memory(void *start, __selvedge_size size) {
    for (__selvedge_size i = 0; i < size; i++)
        ((unsigned char *)start)[i] = (unsigned char)__selvedge_nondet_range(0, 255);
}

/* ---- conditions ----
 *
 * They are truth values, so that whatever is passed without a prototype is compared with zero at its own type. */

void __VERIFIER_assume(_Bool condition) { __selvedge_assume(condition); }
void __CPROVER_assume(_Bool condition) { __selvedge_assume(condition); }
void __ESBMC_assume(_Bool condition) { __selvedge_assume(condition); }
void assume(_Bool condition) { __selvedge_assume(condition); }

/* SV-COMP's programs mostly bring their own. */
void assume_abort_if_not(_Bool condition) {
    if (!condition)
        __selvedge_process_exit();
}

/* ---- assertions: the process ends with a failed one, also where assertions are not checked ---- */

static void fail_assertion(void) __attribute__((noreturn));
static void fail_assertion(void) {
    __selvedge_violation("assertion", "the assertion fails");
    __selvedge_process_exit();
}

void __VERIFIER_assert(_Bool condition) {
    if (!condition)
        fail_assertion();
}

void __CPROVER_assert(_Bool condition, const char *text) {
    (void)text;
    if (!condition)
        fail_assertion();
}

void __ESBMC_assert(_Bool condition, const char *text) {
    (void)text;
    if (!condition)
        fail_assertion();
}

void __VERIFIER_error(void) {
    __selvedge_violation("assertion", "__VERIFIER_error is reached");
    __selvedge_process_exit();
}

void reach_error(void) {
    __selvedge_violation("assertion", "reach_error is reached");
    __selvedge_process_exit();
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    fail_assertion();
}

void __assert(const char *text, const char *file, int line) {
    (void)text, (void)file, (void)line;
    fail_assertion();
}

void __assert_rtn(const char *function, const char *file, int line, const char *text) {
    (void)text, (void)file, (void)line, (void)function;
    fail_assertion();
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    (void)error, (void)file, (void)line, (void)function;
    fail_assertion();
}

/* ---- atomic sections ---- */

void __VERIFIER_atomic_begin(void) { __selvedge_atomic_begin(); }
void __VERIFIER_atomic_end(void) { __selvedge_atomic_end(); }
void __CPROVER_atomic_begin(void) { __selvedge_atomic_begin(); }
void __CPROVER_atomic_end(void) { __selvedge_atomic_end(); }
void __ESBMC_atomic_begin(void) { __selvedge_atomic_begin(); }
void __ESBMC_atomic_end(void) { __selvedge_atomic_end(); }
void __ESBMC_yield(void) { __selvedge_yield(); }
void __CPROVER_fence(const char *kind, ...) { (void)kind; }

void __ESBMC_unreachable(void) {
    __selvedge_violation("assertion", "__ESBMC_unreachable() is called");
    __selvedge_process_exit();
}
