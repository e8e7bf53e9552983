// check: safe
// vfprintf of arguments that are there.
#include <stdio.h>
#include <stdarg.h>
static void log_it(const char *f, ...) { va_list ap; va_start(ap, f); vfprintf(stderr, f, ap); va_end(ap); }
int main(void) { char b[3] = "ab"; log_it("%d %s %f\n", 1, b, 2.0); }
