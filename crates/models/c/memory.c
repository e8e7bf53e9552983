/* The heap. Allocation succeeds unless --may-fail malloc was given. A request for no bytes yields a
 * pointer that may be freed and not used, as glibc does it. */
#include "internal.h"
#include "string.c"

#define HEAP_ALIGN (2 * sizeof(void *))

static void *allocate(__selvedge_size size, __selvedge_size align) {
    if (FAILS(malloc)) {
        selvedge_errno = E_NOMEM;
        return SELVEDGE_NULL;
    }
    return __selvedge_alloc(size, align);
}

static void *allocate_cleared(__selvedge_size count, __selvedge_size each) {
    __selvedge_size size;
    if (__builtin_mul_overflow(count, each, &size)) {
        selvedge_errno = E_NOMEM;
        return SELVEDGE_NULL;
    }
    void *p = allocate(size, HEAP_ALIGN);
    if (p)
        __builtin_memset(p, 0, size);
    return p;
}

/* Where the program compares addresses of blocks, this is another function: the block may have stayed where it was. */
void __selvedge_moved(char *block, char *old) {
    (void)block;
    (void)old;
}

static void *reallocate(void *old, __selvedge_size size) {
    if (!old)
        return allocate(size, HEAP_ALIGN);
    if (size == 0) {
        __selvedge_free(old);
        return SELVEDGE_NULL;
    }
    void *p = allocate(size, HEAP_ALIGN);
    if (p) {
        __selvedge_size before = __selvedge_object_size(old);
        if (__selvedge_object_offset(old) == 0)
            __builtin_memcpy(p, old, before < size ? before : size);
        __selvedge_free(old); /* reports what is no live heap object */
        __selvedge_moved(p, old);
    }
    return p;
}

void *malloc(__selvedge_size size) {
    return allocate(size, HEAP_ALIGN);
}

void *calloc(__selvedge_size count, __selvedge_size each) {
    return allocate_cleared(count, each);
}

void *realloc(void *old, __selvedge_size size) {
    return reallocate(old, size);
}

void *reallocarray(void *old, __selvedge_size count, __selvedge_size each) {
    __selvedge_size size;
    if (__builtin_mul_overflow(count, each, &size)) {
        selvedge_errno = E_NOMEM;
        return SELVEDGE_NULL;
    }
    return reallocate(old, size);
}

void free(void *p) {
    if (p)
        __selvedge_free(p);
}

void cfree(void *p) {
    if (p)
        __selvedge_free(p);
}

void *aligned_alloc(__selvedge_size align, __selvedge_size size) {
    if (align == 0 || (align & (align - 1)) != 0)
        __selvedge_violation("memory", "asks for an alignment that is no power of two");
    return allocate(size, align);
}

void *memalign(__selvedge_size align, __selvedge_size size) {
    return allocate(size, align);
}

void *valloc(__selvedge_size size) {
    return allocate(size, 4096);
}

int posix_memalign(void **out, __selvedge_size align, __selvedge_size size) {
    if (align < sizeof(void *) || (align & (align - 1)))
        return E_INVAL;
    void *p = allocate(size, align);
    if (!p)
        return E_NOMEM;
    *out = p;
    return 0;
}

static char *duplicate(const char *s, __selvedge_size length) {
    char *copy = allocate(length + 1, HEAP_ALIGN);
    if (copy) {
        __builtin_memcpy(copy, s, length);
        copy[length] = 0;
    }
    return copy;
}

char *strdup(const char *s) {
    return duplicate(s, text_length(s));
}

char *__strdup(const char *s) {
    return duplicate(s, text_length(s));
}

char *strndup(const char *s, __selvedge_size most) {
    __selvedge_size length = 0;
    while (length < most && s[length])
        length++;
    return duplicate(s, length);
}
