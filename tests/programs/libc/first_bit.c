// check: safe
// ffs for all widths.
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>
#include <assert.h>
int main(void) { assert(ffs(8) == 4 && ffs(0) == 0); assert(ffsl(1L << 40) == 41); assert(ffsll(1LL << 62) == 63 && ffsll(0) == 0); }
