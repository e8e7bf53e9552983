// check: safe
// Numbers of all kinds and widths.
#include <stdio.h>
#include <assert.h>
#include <string.h>
int main(void) { int a, b; char s[8]; long l; double d; float f; assert(sscanf("12 34 abc", "%d %d %7s", &a, &b, s) == 3 && a == 12 && b == 34 && !strcmp(s, "abc")); assert(sscanf("5x", "%d%c", &a, s) == 2); assert(sscanf("", "%d", &a) == EOF); assert(sscanf("1234", "%2d%2d", &a, &b) == 2 && a == 12 && b == 34); assert(sscanf("2.5", "%lf", &d) == 1 && d == 2.5); assert(sscanf("2.5 7", "%f %ld", &f, &l) == 2 && f == 2.5f && l == 7); assert(sscanf("ff", "%x", &a) == 1 && a == 255); }
