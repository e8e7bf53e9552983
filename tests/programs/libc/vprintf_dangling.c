// check: unsafe memory
// What vprintf prints is read.
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
static void log_it(const char *f, ...) { va_list ap; va_start(ap, f); vprintf(f, ap); va_end(ap); }
int main(void) { char *p = malloc(2); p[0] = 0; free(p); log_it("%d %s\n", 1, p); }
