/* What the Itanium ABI asks of a C++ run-time library: exceptions, types at run time, guards of static variables.
 *
 * An exception is in flight from where it is thrown to the next landing pad. The front end looks at __selvedge_in_flight
 * behind every call that may throw, and goes to the landing pad or returns from the function (lower/unwinding.rs); so
 * destructors run on the way also where nobody catches. The standard leaves that open, and g++ does not run them.
 */
#include "internal.h"
#include "stdlib.c"

/* ---- types ---- */

/* A type_info of any kind: its vtable says which. */
struct cxx_type {
    const void *vtable;
    const char *name;
};
struct cxx_single {
    struct cxx_type type;
    const struct cxx_type *base; /* public, not virtual, at offset 0 */
};
struct cxx_several {
    struct cxx_type type;
    unsigned flags;
    unsigned count;
    struct {
        const struct cxx_type *type;
        long offset_flags;
    } bases[];
};
struct cxx_pointer {
    struct cxx_type type;
    unsigned flags; /* const 1, volatile 2, restrict 4 */
    const struct cxx_type *pointee;
};
enum { BASE_VIRTUAL = 1, BASE_PUBLIC = 2, BASE_SHIFT = 8, POINTER_QUALIFIERS = 7 };

#define KIND(symbol) const void *const symbol[11] = {0}
KIND(_ZTVN10__cxxabiv117__class_type_infoE);
KIND(_ZTVN10__cxxabiv120__si_class_type_infoE);
KIND(_ZTVN10__cxxabiv121__vmi_class_type_infoE);
KIND(_ZTVN10__cxxabiv119__pointer_type_infoE);
KIND(_ZTVN10__cxxabiv123__fundamental_type_infoE);
KIND(_ZTVN10__cxxabiv116__enum_type_infoE);
KIND(_ZTVN10__cxxabiv120__function_type_infoE);
KIND(_ZTVN10__cxxabiv117__array_type_infoE);
KIND(_ZTVN10__cxxabiv129__pointer_to_member_type_infoE);
/* A vtable's address point is behind the offset to the top and the type. */
#define IS_KIND(type, symbol) ((type)->vtable == (const void *)&symbol[2])

/* Of these the library defines the types, and pointers to them, and to constants. */
#define FUNDAMENTAL(code, text) \
    const struct cxx_type _ZTI##code = {&_ZTVN10__cxxabiv123__fundamental_type_infoE[2], text}; \
    const struct cxx_pointer _ZTIP##code = {{&_ZTVN10__cxxabiv119__pointer_type_infoE[2], "P" text}, 0, &_ZTI##code}; \
    const struct cxx_pointer _ZTIPK##code = {{&_ZTVN10__cxxabiv119__pointer_type_infoE[2], "PK" text}, 1, &_ZTI##code};
FUNDAMENTAL(v, "v") FUNDAMENTAL(b, "b") FUNDAMENTAL(c, "c") FUNDAMENTAL(a, "a") FUNDAMENTAL(h, "h") FUNDAMENTAL(s, "s")
FUNDAMENTAL(t, "t") FUNDAMENTAL(i, "i") FUNDAMENTAL(j, "j") FUNDAMENTAL(l, "l") FUNDAMENTAL(m, "m") FUNDAMENTAL(x, "x")
FUNDAMENTAL(y, "y") FUNDAMENTAL(f, "f") FUNDAMENTAL(d, "d") FUNDAMENTAL(w, "w")
const struct cxx_type _ZTIDn = {&_ZTVN10__cxxabiv123__fundamental_type_infoE[2], "Dn"};

static _Bool same_type(const struct cxx_type *a, const struct cxx_type *b) {
    return a == b;
}

struct cxx_search {
    const struct cxx_type *wanted;
    char *found;
    unsigned ways; /* different subobjects of that type */
};

/* Looks for public bases of a type; the object may be null, and then so is what is found. */
static void search_bases(const struct cxx_type *type, char *object, struct cxx_search *search) {
    if (same_type(type, search->wanted)) {
        if (search->ways == 0 || search->found != object)
            search->ways++;
        search->found = object;
        return;
    }
    if (IS_KIND(type, _ZTVN10__cxxabiv120__si_class_type_infoE)) {
        search_bases(((const struct cxx_single *)type)->base, object, search);
    } else if (IS_KIND(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) {
        const struct cxx_several *several = (const struct cxx_several *)type;
        for (unsigned i = 0; i < several->count; i++) {
            long flags = several->bases[i].offset_flags;
            if (!(flags & BASE_PUBLIC))
                continue;
            char *base = object;
            if (object) {
                long offset = flags >> BASE_SHIFT;
                if (flags & BASE_VIRTUAL)
                    offset = *(long *)(*(char **)object + offset);
                base = object + offset;
            }
            search_bases(several->bases[i].type, base, search);
        }
    }
}

/* Whether an object of one type is one of the other, too, and where it is then. */
static _Bool converts(const struct cxx_type *from, const struct cxx_type *to, void *object, void **as) {
    if (same_type(from, to)) {
        *as = object;
        return 1;
    }
    struct cxx_search search = {to, SELVEDGE_NULL, 0};
    search_bases(from, object, &search);
    if (search.ways != 1)
        return 0;
    *as = search.found;
    return 1;
}

void *__dynamic_cast(const void *object, const struct cxx_type *from, const struct cxx_type *to, long hint) {
    (void)from, (void)hint;
    void **vtable = *(void ***)object;
    char *whole = (char *)object + (long)vtable[-2];
    struct cxx_search search = {to, SELVEDGE_NULL, 0};
    search_bases(vtable[-1], whole, &search);
    if (search.ways > 1)
        __selvedge_unsupported("dynamic_cast to a base that an object has twice");
    return search.ways == 1 ? search.found : SELVEDGE_NULL;
}

/* ---- exceptions ---- */

/* Stands before the object that is thrown. */
struct cxx_exception {
    const struct cxx_type *type;
    void (*destructor)(void *);
    void *adjusted;             /* the object as the handler's type knows it */
    struct cxx_exception *next; /* the one that was caught before it */
    int handlers;               /* that have caught it; negative once it is thrown again */
    int references;             /* of exception_ptr, and one while it is in flight or caught */
    void *primary;              /* the object that was kept and is thrown here once more, else null */
    void *unused;
};

__thread void *__selvedge_in_flight;
static __thread struct cxx_exception *cxx_caught;
static __thread int cxx_uncaught;

static struct cxx_exception *exception_of(void *object) {
    return (struct cxx_exception *)object - 1;
}

static void drop_exception(struct cxx_exception *exception) {
    __selvedge_atomic_begin();
    int left = --exception->references;
    __selvedge_atomic_end();
    if (left == 0) {
        if (exception->primary)
            drop_exception(exception_of(exception->primary));
        else if (exception->destructor)
            exception->destructor(exception + 1);
        __selvedge_free(exception);
    }
}

void *__cxa_allocate_exception(__selvedge_size size) {
    struct cxx_exception *exception = __selvedge_alloc(sizeof *exception + size, 16);
    __builtin_memset(exception, 0, sizeof *exception);
    return exception + 1;
}

void __cxa_free_exception(void *object) {
    __selvedge_free(exception_of(object));
}

void __cxa_throw(void *object, const struct cxx_type *type, void (*destructor)(void *)) {
    struct cxx_exception *exception = exception_of(object);
    exception->type = type;
    exception->destructor = destructor;
    exception->references = 1;
    cxx_uncaught++;
    __selvedge_in_flight = object;
}

void __cxa_rethrow(void) {
    struct cxx_exception *exception = cxx_caught;
    if (!exception) {
        __selvedge_violation("abort", "std::terminate() is called: nothing is there to be thrown again");
        __selvedge_process_exit();
    }
    exception->handlers = -exception->handlers;
    cxx_uncaught++;
    __selvedge_in_flight = exception + 1;
}

/* Whether a handler for this type takes the exception. */
int __selvedge_catches(void *object, const struct cxx_type *type) {
    struct cxx_exception *exception = exception_of(object);
    const struct cxx_type *thrown = exception->type;
    if (exception->primary)
        object = exception->primary;
    if (!type) {
        exception->adjusted = object;
        return 1;
    }
    if (!IS_KIND(thrown, _ZTVN10__cxxabiv119__pointer_type_infoE))
        return converts(thrown, type, object, &exception->adjusted);
    const struct cxx_pointer *from = (const struct cxx_pointer *)thrown, *to = (const struct cxx_pointer *)type;
    void *value = *(void **)object;
    if (same_type(thrown, type)) {
        exception->adjusted = value;
        return 1;
    }
    if (!IS_KIND(type, _ZTVN10__cxxabiv119__pointer_type_infoE) || (from->flags & ~to->flags & POINTER_QUALIFIERS))
        return 0;
    if (same_type(to->pointee, &_ZTIv) && !IS_KIND(from->pointee, _ZTVN10__cxxabiv120__function_type_infoE)) {
        exception->adjusted = value;
        return 1;
    }
    return converts(from->pointee, to->pointee, value, &exception->adjusted);
}

void *__cxa_get_exception_ptr(void *object) {
    return exception_of(object)->adjusted;
}

void *__cxa_begin_catch(void *object) {
    struct cxx_exception *exception = exception_of(object);
    int before = exception->handlers;
    exception->handlers = (before < 0 ? -before : before) + 1;
    if (cxx_caught != exception) {
        exception->next = cxx_caught;
        cxx_caught = exception;
    }
    cxx_uncaught--;
    return exception->adjusted;
}

void __cxa_end_catch(void) {
    struct cxx_exception *exception = cxx_caught;
    if (!exception)
        return;
    if (exception->handlers < 0) {
        if (++exception->handlers == 0)
            cxx_caught = exception->next;
    } else if (--exception->handlers == 0) {
        cxx_caught = exception->next;
        exception->next = SELVEDGE_NULL;
        drop_exception(exception);
    }
}

/* For exception_ptr: the object that was thrown, kept by as many as there are references. */
void *__selvedge_caught(void) {
    if (!cxx_caught)
        return SELVEDGE_NULL;
    return cxx_caught->primary ? cxx_caught->primary : cxx_caught + 1;
}

void __selvedge_keep_exception(void *object) {
    __selvedge_atomic_begin();
    exception_of(object)->references++;
    __selvedge_atomic_end();
}

void __selvedge_drop_exception(void *object) {
    drop_exception(exception_of(object));
}

void *__cxa_init_primary_exception(void *object, const struct cxx_type *type, void (*destructor)(void *)) {
    exception_of(object)->type = type;
    exception_of(object)->destructor = destructor;
    return exception_of(object);
}

/* Several threads may throw what they keep at the same time, so that each has an exception of its own. */
void __selvedge_throw_kept(void *object) {
    __selvedge_keep_exception(object);
    void *again = __cxa_allocate_exception(0);
    exception_of(again)->primary = object;
    exception_of(again)->type = exception_of(object)->type;
    exception_of(again)->references = 1;
    cxx_uncaught++;
    __selvedge_in_flight = again;
}

int _ZSt19uncaught_exceptionsv(void) {
    return cxx_uncaught;
}

_Bool _ZSt18uncaught_exceptionv(void) {
    return cxx_uncaught != 0;
}

void _ZSt9terminatev(void) {
    __selvedge_violation("abort", "std::terminate() is called");
    __selvedge_process_exit();
}

/* An exception leaves main, or a function that a library written in C has called. */
void __selvedge_uncaught(void) {
    __selvedge_violation("abort", "std::terminate() is called: an exception is not caught");
    __selvedge_process_exit();
}

void __cxa_pure_virtual(void) {
    __selvedge_violation("abort", "a pure virtual function is called");
    __selvedge_process_exit();
}

/* ---- static and global objects ---- */

struct cxx_guard {
    char done;
    int owner; /* the thread that initialises, plus one */
};

int __cxa_guard_acquire(struct cxx_guard *guard) {
    __selvedge_atomic_begin();
    if (!guard->done && guard->owner) {
        __selvedge_waits_for(guard, guard->owner - 1);
        __selvedge_block_until(0);
    }
    _Bool mine = !guard->done;
    if (mine)
        guard->owner = __selvedge_self() + 1;
    __selvedge_atomic_end();
    return mine;
}

void __cxa_guard_release(struct cxx_guard *guard) {
    __selvedge_atomic_begin();
    guard->done = 1;
    guard->owner = 0;
    __selvedge_atomic_end();
}

void __cxa_guard_abort(struct cxx_guard *guard) {
    guard->owner = 0;
}

void *__dso_handle;

int __cxa_atexit(void (*handler)(void *), void *arg, void *dso) {
    (void)dso;
    return add_exit_handler(SELVEDGE_NULL, SELVEDGE_NULL, handler, arg);
}

/* The thread_local objects of a thread, the last made first. */
struct cxx_thread_local {
    void (*destructor)(void *);
    void *object;
    struct cxx_thread_local *before;
};
static __thread struct cxx_thread_local *cxx_thread_locals;

static void destroy_thread_locals(void) {
    while (cxx_thread_locals) {
        struct cxx_thread_local *last = cxx_thread_locals;
        cxx_thread_locals = last->before;
        void (*destructor)(void *) = last->destructor;
        void *object = last->object;
        __selvedge_free(last);
        destructor(object);
    }
}

int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *dso) {
    (void)dso;
    struct cxx_thread_local *made = __selvedge_alloc(sizeof *made, 16);
    made->destructor = destructor;
    made->object = object;
    made->before = cxx_thread_locals;
    cxx_thread_locals = made;
    __selvedge_atomic_begin();
    selvedge_destroy_thread_locals = destroy_thread_locals;
    __selvedge_atomic_end();
    return 0;
}

/* Whether the C library knows that there is one thread only: it never says so. */
char __libc_single_threaded;
