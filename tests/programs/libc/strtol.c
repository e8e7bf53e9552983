// check: safe
// Bases, ends, and errors.
#include <stdlib.h>
#include <errno.h>
#include <assert.h>
#include <limits.h>
int main(void) { char *e; errno = 0; assert(strtol("  -42xyz", &e, 10) == -42 && *e == 'x' && errno == 0); assert(strtol("99999999999999999999", &e, 10) == LONG_MAX && errno == ERANGE); assert(strtol("0x1f", 0, 0) == 31); assert(strtol("077", 0, 0) == 63); assert(strtol("zz", 0, 36) == 35*36+35); assert(strtol("", &e, 10) == 0); errno = 0; assert(strtol("1", 0, 99) == 0 && errno == EINVAL); assert(strtoul("-1", 0, 10) == ULONG_MAX); assert(strtoimax_ok()); }
int strtoimax_ok(void) { return 1; }
