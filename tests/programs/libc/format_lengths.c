// check: safe
// All length modifiers.
#include <stdio.h>
#include <string.h>
#include <assert.h>
int main(void) { char b[40]; sprintf(b, "%hhd %hd %ld %lld %zu %jd %td", 300, 70000, 5L, 6LL, (size_t)7, (long)8, (long)9); assert(!strcmp(b, "44 4464 5 6 7 8 9")); sprintf(b, "%hhu %hx", 511, 0x12345); assert(!strcmp(b, "255 2345")); }
