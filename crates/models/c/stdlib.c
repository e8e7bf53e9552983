/* <stdlib.h> without the heap: ending the process, random numbers, conversions, sorting.
 *
 * A status that is not 0 violates "exit", and abort violates "abort"; where these are not checked, the process ends like
 * any other. Random numbers are arbitrary. The environment is what the front end defines (see world.rs), and there is
 * no command processor.
 */
#include "internal.h"
#include "ctype.c"

/* ---- ending the process ---- */

enum { EXIT_HANDLERS = 32 };
struct exit_handler {
    void (*plain)(void);
    void (*with_status)(int, void *);
    void (*with_object)(void *);
    void *arg;
};
static struct exit_handler selvedge_exit_handlers[EXIT_HANDLERS];
static int selvedge_exit_handler_count;
static int selvedge_exit_status;

static void run_exit_handlers(void) {
    while (selvedge_exit_handler_count > 0) {
        struct exit_handler handler = selvedge_exit_handlers[--selvedge_exit_handler_count];
        if (handler.plain)
            handler.plain();
        else if (handler.with_status)
            handler.with_status(selvedge_exit_status, handler.arg);
        else
            handler.with_object(handler.arg);
    }
}

static int add_exit_handler(
    void (*plain)(void), void (*with_status)(int, void *), void (*with_object)(void *), void *arg) {
    __selvedge_atomic_begin();
    selvedge_run_exit_handlers = run_exit_handlers;
    if (selvedge_exit_handler_count == EXIT_HANDLERS)
        __selvedge_unsupported("more than 32 exit handlers");
    struct exit_handler *handler = &selvedge_exit_handlers[selvedge_exit_handler_count++];
    handler->plain = plain;
    handler->with_status = with_status;
    handler->with_object = with_object;
    handler->arg = arg;
    __selvedge_atomic_end();
    return 0;
}

int atexit(void (*handler)(void)) {
    return add_exit_handler(handler, SELVEDGE_NULL, SELVEDGE_NULL, SELVEDGE_NULL);
}

int on_exit(void (*handler)(int, void *), void *arg) {
    return add_exit_handler(SELVEDGE_NULL, handler, SELVEDGE_NULL, arg);
}

/* A parent sees the lowest eight bits. Also called where main returns. */
void __selvedge_model_status(int status) {
    if (status & 0xFF)
        __selvedge_violation("exit", "the process ends with a status that is not 0");
}

static void end_process(int status) {
    __selvedge_model_status(status);
    __selvedge_process_exit();
}

/* Also called when main returns, if there are handlers. */
void __selvedge_model_exit(int status) {
    if (selvedge_destroy_thread_locals)
        selvedge_destroy_thread_locals();
    if (selvedge_run_exit_handlers) {
        selvedge_exit_status = status;
        selvedge_run_exit_handlers();
    }
    end_process(status);
}

void exit(int status) {
    __selvedge_model_exit(status);
}

void _exit(int status) {
    end_process(status);
}

void _Exit(int status) {
    end_process(status);
}

void quick_exit(int status) {
    end_process(status); /* at_quick_exit is not modelled */
}

void abort(void) {
    __selvedge_violation("abort", "abort() is called");
    __selvedge_process_exit();
}

/* ---- random numbers ---- */

/* In each function by itself, whose name the input then has. */
#define ANY_NONNEGATIVE __selvedge_nondet_range(0, 0x7FFFFFFF)
#define ANY_FRACTION ((double)(__selvedge_nondet_u64() >> 11) / 9007199254740992.0) /* of 2^53 */

int rand(void) { return (int)ANY_NONNEGATIVE; }
int rand_r(unsigned *seed) { __selvedge_check_write(seed, sizeof *seed); return (int)ANY_NONNEGATIVE; }
void srand(unsigned seed) { (void)seed; }
long random(void) { return (long)ANY_NONNEGATIVE; }
void srandom(unsigned seed) { (void)seed; }
char *initstate(unsigned seed, char *state, __selvedge_size size) { (void)seed, (void)size; return state; }
char *setstate(char *state) { return state; }
long lrand48(void) { return (long)ANY_NONNEGATIVE; }
long nrand48(unsigned short *seed) { __selvedge_check_write(seed, 6); return (long)ANY_NONNEGATIVE; }
long mrand48(void) { return __selvedge_nondet_int(); }
long jrand48(unsigned short *seed) { __selvedge_check_write(seed, 6); return __selvedge_nondet_int(); }
double drand48(void) { return ANY_FRACTION; }
double erand48(unsigned short *seed) { __selvedge_check_write(seed, 6); return ANY_FRACTION; }
void srand48(long seed) { (void)seed; }
unsigned short *seed48(unsigned short *seed) { return seed; }

int random_r(void *state, int *result) {
    (void)state;
    *result = (int)ANY_NONNEGATIVE;
    return 0;
}

int srandom_r(unsigned seed, void *state) { (void)seed, (void)state; return 0; }
int initstate_r(unsigned seed, char *text, __selvedge_size size, void *state) { (void)seed, (void)text, (void)size, (void)state; return 0; }
unsigned arc4random(void) { return (unsigned)__selvedge_nondet_int(); }
unsigned arc4random_uniform(unsigned bound) { return bound ? (unsigned)__selvedge_nondet_range(0, bound - 1) : 0; }
void arc4random_buf(void *to, __selvedge_size size) { fill_with_anything(to, size); }

long getrandom(void *to, __selvedge_size size, unsigned flags) {
    (void)flags;
    fill_with_anything(to, size);
    return (long)size;
}

int getentropy(void *to, __selvedge_size size) {
    fill_with_anything(to, size);
    return 0;
}

/* ---- arithmetic ---- */

/* The least number has no positive counterpart. */
#define ABSOLUTE(type, name, greatest) \
    type name(type x) { \
        if (x < -greatest) \
            __selvedge_violation("overflow", #name " overflows"); \
        return x < 0 ? -x : x; \
    }

ABSOLUTE(int, abs, __INT_MAX__)
ABSOLUTE(long, labs, __LONG_MAX__)
ABSOLUTE(long long, llabs, __LONG_LONG_MAX__)

struct selvedge_div { int quotient, remainder; };
struct selvedge_ldiv { long quotient, remainder; };
struct selvedge_lldiv { long long quotient, remainder; };
struct selvedge_div div(int a, int b) { return (struct selvedge_div){a / b, a % b}; }
struct selvedge_ldiv ldiv(long a, long b) { return (struct selvedge_ldiv){a / b, a % b}; }
struct selvedge_lldiv lldiv(long long a, long long b) { return (struct selvedge_lldiv){a / b, a % b}; }

int ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }

/* ---- numbers in text ---- */

static int digit_value(int c) {
    return is_digit(c) ? c - '0' : is_lower(c) ? c - 'a' + 10 : is_upper(c) ? c - 'A' + 10 : 99;
}

/* Reads sign and magnitude; *overflow when the magnitude exceeds 64 bits. */
static unsigned long long parse_number(const char *s, char **end, int base, _Bool *negative, _Bool *overflow) {
    const char *start = s;
    unsigned long long value = 0;
    _Bool any = 0;
    *negative = *overflow = 0;
    while (is_space(*s))
        s++;
    if (*s == '-' || *s == '+')
        *negative = *s++ == '-';
    if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && is_hex(s[2])) {
        s += 2;
        base = 16;
    } else if (base == 0) {
        base = *s == '0' ? 8 : 10;
    }
    for (; digit_value(*s) < base; s++) {
        any = 1;
        if (__builtin_mul_overflow(value, (unsigned long long)base, &value) ||
            __builtin_add_overflow(value, (unsigned long long)digit_value(*s), &value))
            *overflow = 1;
    }
    if (end)
        *end = (char *)(any ? s : start);
    return value;
}

static long long parse_signed(const char *s, char **end, int base, unsigned long long most) {
    _Bool negative, overflow;
    unsigned long long value = parse_number(s, end, base, &negative, &overflow);
    if (overflow || value > most + negative) {
        selvedge_errno = E_RANGE;
        value = most + negative;
    }
    return (long long)(negative ? 0 - value : value);
}

static unsigned long long parse_unsigned(const char *s, char **end, int base, unsigned long long most) {
    _Bool negative, overflow;
    unsigned long long value = parse_number(s, end, base, &negative, &overflow);
    if (overflow || value > most) {
        selvedge_errno = E_RANGE;
        return most;
    }
    return (negative ? 0 - value : value) & most;
}

#define LONG_MOST ((unsigned long long)__LONG_MAX__)
#define LONG_LONG_MOST ((unsigned long long)__LONG_LONG_MAX__)
#define ULONG_MOST (2 * LONG_MOST + 1)
#define ULONG_LONG_MOST (2 * LONG_LONG_MOST + 1)

int atoi(const char *s) { return (int)parse_signed(s, SELVEDGE_NULL, 10, LONG_MOST); }
long atol(const char *s) { return (long)parse_signed(s, SELVEDGE_NULL, 10, LONG_MOST); }
long long atoll(const char *s) { return parse_signed(s, SELVEDGE_NULL, 10, LONG_LONG_MOST); }
long strtol(const char *s, char **end, int base) { return (long)parse_signed(s, end, base, LONG_MOST); }
long long strtoll(const char *s, char **end, int base) { return parse_signed(s, end, base, LONG_LONG_MOST); }
unsigned long strtoul(const char *s, char **end, int base) { return (unsigned long)parse_unsigned(s, end, base, ULONG_MOST); }
unsigned long long strtoull(const char *s, char **end, int base) { return parse_unsigned(s, end, base, ULONG_LONG_MOST); }
/* The names to which newer glibc headers redirect. */
long __isoc23_strtol(const char *s, char **end, int base) { return (long)parse_signed(s, end, base, LONG_MOST); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return parse_signed(s, end, base, LONG_LONG_MOST); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return (unsigned long)parse_unsigned(s, end, base, ULONG_MOST); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return parse_unsigned(s, end, base, ULONG_LONG_MOST); }

/* ---- sorting and searching ---- */

/* Insertion sort: stable, and short on what a verifier will see. */
void qsort(void *base, __selvedge_size count, __selvedge_size size, int (*compare)(const void *, const void *)) {
    if (count < 2 || size == 0)
        return;
    char *items = base;
    char moving[size];
    for (__selvedge_size i = 1; i < count; i++) {
        __selvedge_size j = i;
        __builtin_memcpy(moving, items + i * size, size);
        for (; j > 0 && compare(items + (j - 1) * size, moving) > 0; j--)
            __builtin_memcpy(items + j * size, items + (j - 1) * size, size);
        __builtin_memcpy(items + j * size, moving, size);
    }
}

void *bsearch(const void *key, const void *base, __selvedge_size count, __selvedge_size size,
              int (*compare)(const void *, const void *)) {
    const char *low = base;
    while (count) {
        const char *middle = low + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            low = middle + size;
            count = count - count / 2 - 1;
        } else {
            count /= 2;
        }
    }
    return SELVEDGE_NULL;
}

/* ---- the environment ---- */

extern char *__selvedge_environment[]; /* NAME=VALUE …, and null */
char **environ = __selvedge_environment;
char **__environ = __selvedge_environment;

static char *find_variable(const char *name) {
    for (char **variable = __selvedge_environment; *variable; variable++) {
        __selvedge_size i = 0;
        while (name[i] && name[i] == (*variable)[i])
            i++;
        if (!name[i] && (*variable)[i] == '=')
            return *variable + i + 1;
    }
    return SELVEDGE_NULL;
}

char *getenv(const char *name) { return find_variable(name); }
char *secure_getenv(const char *name) { return find_variable(name); }

int unsetenv(const char *name) {
    (void)name;
    return 0;
}

int setenv(const char *name, const char *value, int overwrite) {
    (void)name, (void)value, (void)overwrite;
    return 0;
}

int system(const char *command) {
    if (command)
        __selvedge_unsupported("system");
    return 0;
}
