/* <sys/mman.h>. A mapping is an object of its own: zeroed if it is anonymous, with any contents if it is a file's. It ends
 * as a whole; protection is not modelled, so that accesses to protected pages are not found. */
#include "internal.h"
#include "memory.c"

enum { PAGE = 4096, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20 };
#define MAP_FAILED ((void *)-1L)

static void *map_failed(int error) {
    selvedge_errno = error;
    return MAP_FAILED;
}

static __selvedge_size whole_pages(__selvedge_size length) {
    return (length + PAGE - 1) & ~(__selvedge_size)(PAGE - 1);
}

static void *map_memory(void *address, __selvedge_size length, int flags) {
    if (!length)
        return map_failed(E_INVAL);
    if ((flags & MAP_FIXED) && address)
        __selvedge_unsupported("mmap at a fixed address");
    void *p = allocate(whole_pages(length), PAGE);
    if (!p)
        return MAP_FAILED;
    if (flags & MAP_ANONYMOUS)
        __builtin_memset(p, 0, whole_pages(length));
    return p;
}

void *mmap(void *address, __selvedge_size length, int protection, int flags, int file, long offset) {
    (void)protection, (void)file, (void)offset;
    return map_memory(address, length, flags);
}

void *mmap64(void *address, __selvedge_size length, int protection, int flags, int file, long long offset) {
    (void)protection, (void)file, (void)offset;
    return map_memory(address, length, flags);
}

int munmap(void *start, __selvedge_size length) {
    if (!length || ((unsigned long)start & (PAGE - 1))) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    if (__selvedge_object_offset(start) == 0 && __selvedge_object_size(start) > whole_pages(length))
        __selvedge_unsupported("munmap of a part of a mapping");
    __selvedge_free(start);
    return 0;
}

void *mremap(void *old, __selvedge_size before, __selvedge_size length, int flags, ...) {
    (void)flags;
    if (!length)
        return map_failed(E_INVAL);
    void *p = allocate(whole_pages(length), PAGE);
    if (!p)
        return MAP_FAILED;
    __builtin_memset(p, 0, whole_pages(length));
    __builtin_memcpy(p, old, whole_pages(before < length ? before : length));
    __selvedge_free(old);
    return p;
}

int mprotect(void *start, __selvedge_size length, int protection) {
    (void)protection;
    __selvedge_check_read(start, length ? 1 : 0);
    return 0;
}

int madvise(void *start, __selvedge_size length, int advice) { (void)start, (void)length, (void)advice; return 0; }
int posix_madvise(void *start, __selvedge_size length, int advice) { (void)start, (void)length, (void)advice; return 0; }
int msync(void *start, __selvedge_size length, int flags) { (void)start, (void)length, (void)flags; return 0; }
int mlock(const void *start, __selvedge_size length) { (void)start, (void)length; return 0; }
int munlock(const void *start, __selvedge_size length) { (void)start, (void)length; return 0; }
int mlockall(int flags) { (void)flags; return 0; }
int munlockall(void) { return 0; }
