// check: safe
// Numbers are read as far as they go.
#include <stdlib.h>
#include <assert.h>
#include <string.h>
int main(void) { char *e; assert(strtod("1.5", 0) == 1.5); assert(strtod("-2e3x", &e) == -2000.0 && *e == 'x'); assert(atof("0.25") == 0.25); assert(strtof("0.5", 0) == 0.5f); assert(strtod("abc", &e) == 0.0 && *e == 'a'); assert(strtod("inf", 0) > 1e308); assert(strtod("0x1p4", 0) == 16.0);assert(strtod("0.1", 0) == 0.1); assert(strtold("2.5",0) == 2.5L); }
