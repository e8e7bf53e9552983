// check: safe
// Lengths and flags.
#include <stdio.h>
#include <string.h>
#include <assert.h>
int main(void) { char b[64]; assert(snprintf(b, 4, "%d", 123456) == 6 && !strcmp(b, "123")); assert(sprintf(b, "%5d|%-5d|%05d", 42, 42, 42) == 17 && !strcmp(b, "   42|42   |00042")); sprintf(b, "%x %X %o %#x", 255, 255, 8, 255); assert(!strcmp(b, "ff FF 10 0xff")); sprintf(b, "%+d % d", 5, 5); assert(!strcmp(b, "+5  5")); sprintf(b, "%.3d %c%c", 7, 'a', 'b'); assert(!strcmp(b, "007 ab")); sprintf(b, "%s", (char *)0 ? "x" : "y"); assert(!strcmp(b, "y")); }
