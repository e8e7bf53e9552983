// check: unsafe assertion
// ffsl looks at all bits of a long.
#define _GNU_SOURCE
#include <string.h>
#include <assert.h>
int main(void) { assert(ffsl(1L << 40) == 9); }
