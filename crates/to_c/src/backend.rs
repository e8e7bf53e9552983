//! All that backends do differently: one table of macros.
//!
//! The rest of a file is the same for every backend, and every file compiles with gcc and clang: what only a
//! tool knows stands behind the macro that the tool defines.

use selvedge_program::{Properties, Property, named};

named! {
    pub enum Backend {
        /// Portable C that can be compiled and run: choices are random, or follow given lists.
        Generic = "generic",
        Cbmc = "cbmc",
        Esbmc = "esbmc",
        Klee = "klee",
        FramaC = "frama-c",
    }
}

impl Backend {
    /// Does the tool itself find uses of memory that is not there, and divisions by zero?
    pub fn checks_memory(self) -> bool {
        matches!(self, Backend::Cbmc | Backend::Esbmc)
    }

    /// Does it tell what is shown to it? Then every store is, by thread, block and step.
    pub fn is_shown_stores(self) -> bool {
        self == Backend::FramaC
    }

    /// The properties that are checked in the program written for it.
    pub fn properties(self) -> Properties {
        match self.is_shown_stores() {
            // A tool that only collects values does not need to know who waits.
            true => Properties::STEPS.without(Properties::NONE.with(Property::Deadlock)),
            false => Properties::STEPS,
        }
    }

    /// Does it know integers of any number of bits?
    pub fn has_narrow_integers(self) -> bool {
        self == Backend::Cbmc
    }

    /// The macros of store buffers: `CHOOSE`, `OVERLAPS`, `WITHIN`, `OVERLAY`.
    pub fn store_buffers(self) -> String {
        let choose = match self {
            Backend::Generic => GENERIC_CHOOSE,
            Backend::Cbmc | Backend::Esbmc | Backend::Klee | Backend::FramaC => "#define CHOOSE() ANY(bool)\n",
        };
        format!("{choose}{STORE_BUFFERS}")
    }

    /// The macros `ASSUME`, `CHECK`, `ANY`, `HAVOC`, `FILL`, `BITS`, `TURN` and `READABLE`.
    pub fn prelude(self) -> String {
        let own = match self {
            Backend::Generic => GENERIC,
            Backend::Cbmc => CBMC,
            Backend::Esbmc => ESBMC,
            Backend::Klee => KLEE,
            Backend::FramaC => FRAMA_C,
        };
        let any = if matches!(self, Backend::Cbmc | Backend::Esbmc) { NONDET } else { "" };
        let turn = match self {
            Backend::Generic | Backend::Klee => "",
            _ => TURN,
        };
        format!("{INTEGERS}{own}{any}{turn}{COMMON}")
    }
}

/// Errors of a program, and conditions that always hold in it, are for the tool to find, not for the compiler.
const INTEGERS: &str = r#"#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wuse-after-free"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wdiv-by-zero"
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wfortify-source"
#pragma clang diagnostic ignored "-Warray-bounds"
#pragma clang diagnostic ignored "-Wfree-nonheap-object"
#pragma clang diagnostic ignored "-Wtautological-compare"
#pragma clang diagnostic ignored "-Wdivision-by-zero"
#endif
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
"#;

/// `BITS(n)`: an unsigned integer of n bits; `UNSIGNED(n, type)`, `SIGNED(n, type)`: a type of which n bits are enough.
/// `ANY(type)`: any value. `HAVOC(x)`: x becomes anything; `FILL(p, n)`: so do n bytes that were just allocated, unless
/// they are that already.
const CBMC: &str = r#"#ifdef __CPROVER__
#define ASSUME(c) __CPROVER_assume(c);
#define CHECK(c, text) __CPROVER_assert(c, text)
#define BITS(n) unsigned __CPROVER_bitvector[n]
#define UNSIGNED(n, type) unsigned __CPROVER_bitvector[n]
#define SIGNED(n, type) signed __CPROVER_bitvector[n]
#define HAVOC(x) __CPROVER_havoc_object(&(x));
#define READABLE(p, n) __CPROVER_r_ok(p, n)
#else
void abort(void);
#define ASSUME(c) if (!(c)) abort();
#define CHECK(c, text) ((c) ? (void)0 : abort())
#define BITS(n) unsigned
#define UNSIGNED(n, type) type
#define SIGNED(n, type) type
#define HAVOC(x) memset(&(x), 0, sizeof(x));
#define READABLE(p, n) ((p) != 0)
#endif
#define FILL(p, n)
"#;

const ESBMC: &str = r#"#ifdef __ESBMC
#define ASSUME(c) __ESBMC_assume(c);
#define CHECK(c, text) __ESBMC_assert(c, text)
#else
void abort(void);
#define ASSUME(c) if (!(c)) abort();
#define CHECK(c, text) ((c) ? (void)0 : abort())
#endif
#define BITS(n) unsigned
#define HAVOC(x) { unsigned char any[sizeof(x)]; for (size_t i = 0; i < sizeof(x); i++) any[i] = nondet_u8(); memcpy(&(x), any, sizeof(x)); }
#define READABLE(p, n) ((p) != 0)
#define FILL(p, n)
"#;

/// CBMC and ESBMC take whatever has no body for any value.
const NONDET: &str = r#"#define ANY(name) nondet_##name()
_Bool nondet_bool(void);
unsigned char nondet_u8(void);
unsigned short nondet_u16(void);
unsigned nondet_u32(void);
uint64_t nondet_u64(void);
float nondet_float(void);
double nondet_double(void);
void *nondet_pointer(void);
"#;

/// A run that is of no interest ends in order: KLEE counts those that `klee_assume` ends as unfinished. Turns are
/// inputs with names, which its tests tell.
const KLEE: &str = r#"void klee_make_symbolic(void *, size_t, const char *);
void exit(int);
void klee_report_error(const char *, int, const char *, const char *) __attribute__((noreturn));
#define ASSUME(c) if (!(c)) exit(0);
#define TURN(x, low, high) klee_make_symbolic(&x, sizeof x, #x); ASSUME((low) <= x && x <= (high))
#define CHECK(c, text) ((c) ? (void)0 : klee_report_error(__FILE__, __LINE__, text, "assert"))
#define BITS(n) unsigned
#define HAVOC(x) klee_make_symbolic(&(x), sizeof(x), #x);
#define FILL(p, n) klee_make_symbolic(p, n, #p);
#define READABLE(p, n) ((p) != 0)
#define ANY(name) any_##name()
#define INPUT(name, type) __attribute__((unused)) static type any_##name(void) \
    { type x; klee_make_symbolic(&x, sizeof x, #name); return x; }
INPUT(bool, _Bool)
INPUT(u8, unsigned char)
INPUT(u16, unsigned short)
INPUT(u32, unsigned)
INPUT(u64, uint64_t)
INPUT(float, float)
INPUT(double, double)
INPUT(pointer, void *)
"#;

const FRAMA_C: &str = r#"/*@ assigns \nothing; ensures never_returns: \false; */
void abort(void);
/*@ assigns \nothing; ensures never_returns: \false; */
void exit(int);
#define ASSUME(c) if (!(c)) exit(0);
#define CHECK(c, text) ((c) ? (void)0 : abort())
#ifdef __FRAMAC__
#define SHOW(place, x) Frama_C_show_each_##place(x);
#else
#define SHOW(place, x)
#endif
#define BITS(n) unsigned
#define HAVOC(x) { for (size_t i = 0; i < sizeof(x); i++) ((unsigned char *)&(x))[i] = any_u8; }
#define READABLE(p, n) ((p) != 0)
#define FILL(p, n) { for (size_t i = 0; i < (n); i++) ((unsigned char *)(p))[i] = any_u8; }
#define ANY(name) any_##name
extern volatile _Bool any_bool;
extern volatile unsigned char any_u8;
extern volatile unsigned short any_u16;
extern volatile unsigned any_u32;
extern volatile uint64_t any_u64;
extern volatile float any_float;
extern volatile double any_double;
extern void *volatile any_pointer;
"#;

/// Choices come from `SELVEDGE_TURNS` and `SELVEDGE_INPUTS`, lists of numbers, while they last; then from a
/// generator that begins with `SELVEDGE_SEED`.
const GENERIC: &str = r#"void abort(void);
void exit(int);
char *getenv(const char *);
unsigned long long strtoull(const char *, char **, int);
int dprintf(int, const char *, ...);
#define ASSUME(c) if (!(c)) exit(0);
#define CHECK(c, text) ((c) ? (void)0 : selvedge_fail(text))
#define BITS(n) unsigned
#define HAVOC(x) selvedge_havoc(&(x), sizeof(x));
#define FILL(p, n) selvedge_havoc(p, n);
#define READABLE(p, n) ((p) != 0)
#define TURN(x, low, high) { unsigned bound = (low); x = selvedge_turn(bound, high); } ASSUME((low) <= x && x <= (high))
#define ANY(name) any_##name()
__attribute__((unused)) static void selvedge_fail(const char *text)
{
    dprintf(2, "%s\n", text);
    abort();
}
__attribute__((unused)) static uint64_t selvedge_random(void)
{
    static uint64_t state;
    const char *seed = getenv("SELVEDGE_SEED");
    if (!state)
        state = 0x9e3779b97f4a7c15u * (1 + (seed ? strtoull(seed, 0, 0) : 0));
    uint64_t mixed = state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}
__attribute__((unused)) static int selvedge_given(const char **list, const char *name, uint64_t *value)
{
    if (!*list)
        *list = getenv(name) ? getenv(name) : "";
    char *end;
    *value = strtoull(*list, &end, 0);
    if (end == *list)
        return 0;
    *list = *end ? end + 1 : end;
    return 1;
}
__attribute__((unused)) static unsigned selvedge_turn(unsigned low, unsigned high)
{
    static const char *list;
    uint64_t value;
    if (selvedge_given(&list, "SELVEDGE_TURNS", &value))
        return value;
    return low + selvedge_random() % (high - low + 1);
}
__attribute__((unused)) static uint64_t selvedge_input(void)
{
    static const char *list;
    uint64_t value;
    if (selvedge_given(&list, "SELVEDGE_INPUTS", &value))
        return value;
    value = selvedge_random();
    return value & 3 ? value >> 2 & 7 : value >> 2 & 8 ? -(value >> 6 & 7) : value;
}
__attribute__((unused)) static void selvedge_havoc(void *object, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)object)[i] = selvedge_random();
}
#define INPUT(name, type) __attribute__((unused)) static type any_##name(void) { return (type)selvedge_input(); }
INPUT(bool, _Bool)
INPUT(u8, unsigned char)
INPUT(u16, unsigned short)
INPUT(u32, unsigned)
INPUT(u64, uint64_t)
INPUT(float, float)
INPUT(double, double)
__attribute__((unused)) static void *any_pointer(void) { return (void *)(uintptr_t)selvedge_input(); }
"#;

/// `TURN(x, low, high)`: any number from low to high.
const TURN: &str = "#define TURN(x, low, high) x = ANY(u32); ASSUME((low) <= x && x <= (high))\n";

/// Nothing follows a violation. `BOUND`: behind a bound. `UNSUPPORTED`: what this file does not follow.
const COMMON: &str = r#"#define ASSERT(c, text) { CHECK(c, text); ASSUME(c) }
#define BOUND(c) ASSUME(c)
#define UNSUPPORTED(text) ASSERT(0, "unsupported: " text)
"#;

/// `SELVEDGE_ARRIVALS`: a list of zeros and ones. At a store, whether it waits; at the beginning of a turn, whether a
/// store that may arrive does.
const GENERIC_CHOOSE: &str = r#"__attribute__((unused)) static _Bool selvedge_choice(void)
{
    static const char *list;
    uint64_t value;
    return selvedge_given(&list, "SELVEDGE_ARRIVALS", &value) ? value != 0 : selvedge_random() >> 7 & 1;
}
#define CHOOSE() selvedge_choice()
"#;

/// `OVERLAPS(p, n, q, m)`: do n bytes from p and m bytes from q have some in common? `WITHIN(p, q, n)`: does p point to
/// one of n bytes from q? `OVERLAY(x, p, n, y, q, m)`: x, of n bytes from p, gets the bytes that y has, of m bytes from
/// q.
const STORE_BUFFERS: &str = r#"#define OVERLAPS(p, n, q, m) ((uintptr_t)(p) < (uintptr_t)(q) + (m) && (uintptr_t)(q) < (uintptr_t)(p) + (n))
#define WITHIN(p, q, n) ((uintptr_t)(p) - (uintptr_t)(q) < (n))
#define OVERLAY(x, p, n, y, q, m) for (size_t i = 0; i < (n); i++) \
    if (WITHIN((uintptr_t)(p) + i, q, m)) \
        ((unsigned char *)&(x))[i] = ((unsigned char *)&(y))[(uintptr_t)(p) + i - (uintptr_t)(q)];
"#;

/// The program with every reachable assertion made to fail: is there a run to one at all?
pub fn reaching(text: &str) -> String {
    text.replacen("{ CHECK(c, text);", "{ CHECK(0, text);", 1)
}
