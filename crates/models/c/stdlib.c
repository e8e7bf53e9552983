/* <stdlib.h> without the heap: ending the process, random numbers, conversions, sorting.
 *
 * A status that is not 0 violates "exit", and abort violates "abort"; where these are not checked, the process ends like
 * any other. Random numbers are arbitrary, but a program that sets the seed in several places gets the same ones for the same
 * seed. The environment is what the front end defines (see world.rs), and what the program makes of it; there is no command
 * processor.
 */
#include "internal.h"
#include "ctype.c"
#include "string.c"

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

void __selvedge_registers_destructor(void (*destructor)(void)) {
    add_exit_handler(destructor, SELVEDGE_NULL, SELVEDGE_NULL, SELVEDGE_NULL);
}

static void (*selvedge_quick_exit_handlers[EXIT_HANDLERS])(void);
static int selvedge_quick_exit_handler_count;

int at_quick_exit(void (*handler)(void)) {
    __selvedge_atomic_begin();
    if (selvedge_quick_exit_handler_count == EXIT_HANDLERS)
        __selvedge_unsupported("more than 32 exit handlers");
    selvedge_quick_exit_handlers[selvedge_quick_exit_handler_count++] = handler;
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
    while (selvedge_quick_exit_handler_count > 0)
        selvedge_quick_exit_handlers[--selvedge_quick_exit_handler_count]();
    end_process(status);
}

/* A handler of SIGABRT may leave by longjmp; if it returns, or there is none, the process ends all the same. */
void abort(void) {
    if (selvedge_abort_signal)
        selvedge_abort_signal();
    __selvedge_violation("abort", "abort() is called");
    __selvedge_process_exit();
}

/* ---- random numbers ---- */

/* In each function by itself, whose name the input then has. */
#define ANY_NONNEGATIVE __selvedge_nondet_range(0, 0x7FFFFFFF)
#define ANY_FRACTION ((double)(__selvedge_nondet_u64() >> 11) / 9007199254740992.0) /* of 2^53 */

/* The numbers that belong to each seed, as far as they are known. They are kept only where the program could tell. */
enum { KNOWN_NUMBERS = 16 };
struct known_number {
    unsigned seed, index; /* from 1 */
    int value;
};
static struct known_number selvedge_known_numbers[KNOWN_NUMBERS];
static unsigned selvedge_seed = 1, selvedge_drawn;
int __selvedge_calls_srand = 0;
int __selvedge_calls_srandom = 0;

static int draw_number(int any) {
    __selvedge_atomic_begin();
    unsigned index = ++selvedge_drawn;
    int i = 0;
    while (i < KNOWN_NUMBERS && selvedge_known_numbers[i].index &&
           (selvedge_known_numbers[i].seed != selvedge_seed || selvedge_known_numbers[i].index != index))
        i++;
    if (i < KNOWN_NUMBERS) {
        struct known_number *known = &selvedge_known_numbers[i];
        if (known->index) {
            any = known->value;
        } else {
            known->seed = selvedge_seed;
            known->index = index;
            known->value = any;
        }
    }
    __selvedge_atomic_end();
    return any;
}

static void set_seed(unsigned seed) {
    __selvedge_atomic_begin();
    selvedge_seed = seed;
    selvedge_drawn = 0;
    __selvedge_atomic_end();
}

#define SEEDED_REPEATEDLY (__selvedge_calls_srand + __selvedge_calls_srandom > 1)

int rand(void) {
    int any = (int)ANY_NONNEGATIVE;
    return SEEDED_REPEATEDLY ? draw_number(any) : any;
}
int rand_r(unsigned *seed) { __selvedge_check_write(seed, sizeof *seed); return (int)ANY_NONNEGATIVE; }
long random(void) {
    int any = (int)ANY_NONNEGATIVE;
    return SEEDED_REPEATEDLY ? draw_number(any) : any;
}
void srand(unsigned seed) {
    if (SEEDED_REPEATEDLY)
        set_seed(seed);
}
void srandom(unsigned seed) {
    if (SEEDED_REPEATEDLY)
        set_seed(seed);
}
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
ABSOLUTE(__INTMAX_TYPE__, imaxabs, __INTMAX_MAX__)

struct selvedge_div { int quotient, remainder; };
struct selvedge_ldiv { long quotient, remainder; };
struct selvedge_lldiv { long long quotient, remainder; };
struct selvedge_imaxdiv { __INTMAX_TYPE__ quotient, remainder; };

#define QUOTIENT(type, name, greatest) \
    struct selvedge_##name name(type a, type b) { \
        if (b == -1 && a < -greatest) \
            __selvedge_violation("overflow", #name " overflows"); \
        return (struct selvedge_##name){a / b, a % b}; \
    }

QUOTIENT(int, div, __INT_MAX__)
QUOTIENT(long, ldiv, __LONG_MAX__)
QUOTIENT(long long, lldiv, __LONG_LONG_MAX__)
QUOTIENT(__INTMAX_TYPE__, imaxdiv, __INTMAX_MAX__)

int ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
int ffsl(long x) { return x ? __builtin_ctzl((unsigned long)x) + 1 : 0; }
int ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }

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
    if (base < 0 || base == 1 || base > 36) {
        selvedge_errno = E_INVAL;
        if (end)
            *end = (char *)start;
        return 0;
    }
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
__INTMAX_TYPE__ strtoimax(const char *s, char **end, int base) { return parse_signed(s, end, base, LONG_LONG_MOST); }
__UINTMAX_TYPE__ strtoumax(const char *s, char **end, int base) { return parse_unsigned(s, end, base, ULONG_LONG_MOST); }
long long strtoq(const char *s, char **end, int base) { return parse_signed(s, end, base, LONG_LONG_MOST); }
unsigned long long strtouq(const char *s, char **end, int base) { return parse_unsigned(s, end, base, ULONG_LONG_MOST); }
/* The names to which newer glibc headers redirect. */
long __isoc23_strtol(const char *s, char **end, int base) { return (long)parse_signed(s, end, base, LONG_MOST); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return parse_signed(s, end, base, LONG_LONG_MOST); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return (unsigned long)parse_unsigned(s, end, base, ULONG_MOST); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return parse_unsigned(s, end, base, ULONG_LONG_MOST); }
__INTMAX_TYPE__ __isoc23_strtoimax(const char *s, char **end, int base) { return parse_signed(s, end, base, LONG_LONG_MOST); }
__UINTMAX_TYPE__ __isoc23_strtoumax(const char *s, char **end, int base) { return parse_unsigned(s, end, base, ULONG_LONG_MOST); }

/* ---- sorting and searching ---- */

static void swap_items(char *a, char *b, __selvedge_size size) {
    char moving[size];
    __builtin_memcpy(moving, a, size);
    __builtin_memcpy(a, b, size);
    __builtin_memcpy(b, moving, size);
}

/* Insertion sort: stable, and short on what a verifier will see. What is compared are elements of the array itself. */
void qsort(void *base, __selvedge_size count, __selvedge_size size, int (*compare)(const void *, const void *)) {
    if (count < 2 || size == 0)
        return;
    char *items = base;
    for (__selvedge_size i = 1; i < count; i++)
        for (char *at = items + i * size; at > items && compare(at - size, at) > 0; at -= size)
            swap_items(at - size, at, size);
}

void qsort_r(void *base, __selvedge_size count, __selvedge_size size, int (*compare)(const void *, const void *, void *), void *more) {
    if (count < 2 || size == 0)
        return;
    char *items = base;
    for (__selvedge_size i = 1; i < count; i++)
        for (char *at = items + i * size; at > items && compare(at - size, at, more) > 0; at -= size)
            swap_items(at - size, at, size);
}

void *lfind(const void *key, const void *base, __selvedge_size *count, __selvedge_size size, int (*compare)(const void *, const void *)) {
    const char *item = base;
    for (__selvedge_size i = 0; i < *count; i++, item += size)
        if (compare(key, item) == 0)
            return (void *)item;
    return SELVEDGE_NULL;
}

void *lsearch(const void *key, void *base, __selvedge_size *count, __selvedge_size size, int (*compare)(const void *, const void *)) {
    char *item = base;
    for (__selvedge_size i = 0; i < *count; i++, item += size)
        if (compare(key, item) == 0)
            return item;
    __builtin_memcpy(item, key, size);
    ++*count;
    return item;
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

/* Whether the text is NAME=…; where its value begins, or null. */
static char *value_of(char *variable, const char *name) {
    __selvedge_size i = 0;
    while (name[i] && name[i] == variable[i])
        i++;
    return !name[i] && variable[i] == '=' ? variable + i + 1 : SELVEDGE_NULL;
}

/* Variables that the program has set or removed; the environment that it was started with is behind them. */
enum { OWN_VARIABLES = 8, VARIABLE_BYTES = 128 };
struct own_variable {
    char *text;     /* NAME=VALUE: `room`, or what putenv was given; null: unused */
    _Bool removed;
    char room[VARIABLE_BYTES];
};
static struct own_variable selvedge_own_variables[OWN_VARIABLES] SELVEDGE_UNPROTECTED;
int __selvedge_reached_own_variable = 0;

static struct own_variable *find_own_variable(const char *name) {
    for (int i = 0; i < OWN_VARIABLES && selvedge_own_variables[i].text; i++)
        if (value_of(selvedge_own_variables[i].text, name))
            return &selvedge_own_variables[i];
    return SELVEDGE_NULL;
}

static char *find_variable(const char *name) {
    if (__selvedge_reached_own_variable) {
        struct own_variable *own = find_own_variable(name);
        if (own)
            return own->removed ? SELVEDGE_NULL : value_of(own->text, name);
    }
    for (char **variable = __selvedge_environment; *variable; variable++) {
        char *value = value_of(*variable, name);
        if (value)
            return value;
    }
    return SELVEDGE_NULL;
}

char *getenv(const char *name) { return find_variable(name); }
char *secure_getenv(const char *name) { return find_variable(name); }

/* The place of the variable of this name, which has one from now on. */
static struct own_variable *own_variable(const char *name) {
    struct own_variable *own = find_own_variable(name);
    for (int i = 0; i < OWN_VARIABLES && !own; i++)
        if (!selvedge_own_variables[i].text)
            own = &selvedge_own_variables[i];
    if (!own)
        __selvedge_unsupported("more than 8 environment variables that the program sets");
    own->removed = 0;
    return own;
}

static int keep_variable(const char *name, const char *value) {
    struct own_variable *own = own_variable(name);
    __selvedge_size length = text_length(name), bytes = text_length(value) + 1;
    if (length + 1 + bytes > VARIABLE_BYTES)
        __selvedge_unsupported("an environment variable of more than 128 bytes");
    __builtin_memcpy(own->room, name, length);
    own->room[length] = '=';
    __builtin_memcpy(own->room + length + 1, value, bytes);
    own->text = own->room;
    return 0;
}

/* A name is not empty, and has no `=` in it. */
static _Bool is_variable_name(const char *name) {
    if (!name || !*name)
        return 0;
    for (; *name; name++)
        if (*name == '=')
            return 0;
    return 1;
}

static int environment_failed(void) {
    selvedge_errno = E_INVAL;
    return -1;
}

int setenv(const char *name, const char *value, int overwrite) {
    if (!is_variable_name(name))
        return environment_failed();
    return !overwrite && find_variable(name) ? 0 : keep_variable(name, value);
}

int unsetenv(const char *name) {
    if (!is_variable_name(name))
        return environment_failed();
    if (find_variable(name)) {
        keep_variable(name, "");
        own_variable(name)->removed = 1;
    }
    return 0;
}

/* The text itself becomes part of the environment. */
int putenv(char *text) {
    char name[VARIABLE_BYTES];
    __selvedge_size length = 0;
    while (text[length] && text[length] != '=') {
        if (length == VARIABLE_BYTES - 1)
            __selvedge_unsupported("an environment variable of more than 128 bytes");
        name[length] = text[length];
        length++;
    }
    name[length] = 0;
    if (!text[length])
        return unsetenv(name);
    own_variable(name)->text = text;
    return 0;
}

int clearenv(void) { __selvedge_unsupported("clearenv"); }

int system(const char *command) {
    if (command)
        __selvedge_unsupported("system");
    return 0;
}
