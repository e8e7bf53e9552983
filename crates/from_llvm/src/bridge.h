/* Included before every C file that clang reads for Selvedge: makes clang take
   what gcc, or glibc's headers preprocessed by gcc, have and clang has not.

   Raw C and preprocessed C both pass through here, so nothing may clash with
   the headers that raw C is still going to include. */

/* gcc's attribute that names the deallocator; clang's takes no arguments. A
   use without arguments is not a use of this macro. */
#define __malloc__(...) __malloc__

/* The interchange types of C23, built into gcc. glibc's headers define them
   the same way for clang, and C11 allows to define a type twice. */
typedef float _Float32;
typedef double _Float64;
typedef double _Float32x;
typedef long double _Float64x;
typedef __float128 _Float128;

/* gcc's stdatomic.h expands to the __atomic builtins on pointers to _Atomic
   objects; clang's builtins want plain ones. The comma operator yields a value,
   and values have no qualifiers. A macro is not expanded inside itself, so the
   inner names are the builtins. */
#define __selvedge_plain(p) ((__typeof__((void)0, *(p)) *)(p))

#define __atomic_load_n(p, o) __atomic_load_n(__selvedge_plain(p), o)
#define __atomic_load(p, r, o) __atomic_load(__selvedge_plain(p), __selvedge_plain(r), o)
#define __atomic_store_n(p, v, o) __atomic_store_n(__selvedge_plain(p), v, o)
#define __atomic_store(p, v, o) __atomic_store(__selvedge_plain(p), __selvedge_plain(v), o)
#define __atomic_exchange_n(p, v, o) __atomic_exchange_n(__selvedge_plain(p), v, o)
#define __atomic_exchange(p, v, r, o) \
    __atomic_exchange(__selvedge_plain(p), __selvedge_plain(v), __selvedge_plain(r), o)
#define __atomic_compare_exchange_n(p, e, v, w, s, f) \
    __atomic_compare_exchange_n(__selvedge_plain(p), __selvedge_plain(e), v, w, s, f)
#define __atomic_compare_exchange(p, e, v, w, s, f)                                \
    __atomic_compare_exchange(__selvedge_plain(p), __selvedge_plain(e),            \
                              __selvedge_plain(v), w, s, f)

#define __atomic_add_fetch(p, v, o) __atomic_add_fetch(__selvedge_plain(p), v, o)
#define __atomic_sub_fetch(p, v, o) __atomic_sub_fetch(__selvedge_plain(p), v, o)
#define __atomic_and_fetch(p, v, o) __atomic_and_fetch(__selvedge_plain(p), v, o)
#define __atomic_xor_fetch(p, v, o) __atomic_xor_fetch(__selvedge_plain(p), v, o)
#define __atomic_or_fetch(p, v, o) __atomic_or_fetch(__selvedge_plain(p), v, o)
#define __atomic_nand_fetch(p, v, o) __atomic_nand_fetch(__selvedge_plain(p), v, o)
#define __atomic_fetch_add(p, v, o) __atomic_fetch_add(__selvedge_plain(p), v, o)
#define __atomic_fetch_sub(p, v, o) __atomic_fetch_sub(__selvedge_plain(p), v, o)
#define __atomic_fetch_and(p, v, o) __atomic_fetch_and(__selvedge_plain(p), v, o)
#define __atomic_fetch_xor(p, v, o) __atomic_fetch_xor(__selvedge_plain(p), v, o)
#define __atomic_fetch_or(p, v, o) __atomic_fetch_or(__selvedge_plain(p), v, o)
#define __atomic_fetch_nand(p, v, o) __atomic_fetch_nand(__selvedge_plain(p), v, o)

/* Words of CBMC that stand for words of C. */
#define __CPROVER_thread_local __thread
#define __CPROVER_bool _Bool

/* gcc's stdatomic.h works on plain objects too; clang's wants _Atomic ones. */
#define __selvedge_atomic(p) ((volatile _Atomic(__typeof__((void)0, *(p))) *)(p))

#define __c11_atomic_init(p, v) __c11_atomic_init(__selvedge_atomic(p), v)
#define __c11_atomic_load(p, o) __c11_atomic_load(__selvedge_atomic(p), o)
#define __c11_atomic_store(p, v, o) __c11_atomic_store(__selvedge_atomic(p), v, o)
#define __c11_atomic_exchange(p, v, o) __c11_atomic_exchange(__selvedge_atomic(p), v, o)
#define __c11_atomic_compare_exchange_strong(p, e, v, s, f) \
    __c11_atomic_compare_exchange_strong(__selvedge_atomic(p), __selvedge_plain(e), v, s, f)
#define __c11_atomic_compare_exchange_weak(p, e, v, s, f) \
    __c11_atomic_compare_exchange_weak(__selvedge_atomic(p), __selvedge_plain(e), v, s, f)
#define __c11_atomic_fetch_add(p, v, o) __c11_atomic_fetch_add(__selvedge_atomic(p), v, o)
#define __c11_atomic_fetch_sub(p, v, o) __c11_atomic_fetch_sub(__selvedge_atomic(p), v, o)
#define __c11_atomic_fetch_and(p, v, o) __c11_atomic_fetch_and(__selvedge_atomic(p), v, o)
#define __c11_atomic_fetch_or(p, v, o) __c11_atomic_fetch_or(__selvedge_atomic(p), v, o)
#define __c11_atomic_fetch_xor(p, v, o) __c11_atomic_fetch_xor(__selvedge_atomic(p), v, o)
