// check: safe
// Widths, precisions, signs, and text that is allocated.
#define _GNU_SOURCE
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print(char *to, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(to, room, format, args);
    va_end(args);
    return length;
}

int main(void) {
    char t[32];
    assert(print(t, sizeof t, "%+d|%5.3d|%-4d|%04x", 3, 7, 9, 0xab) == 18 && !strcmp(t, "+3|  007|9   |00ab"));
    assert(print(t, sizeof t, "%*d|%.2s|%#x|%zu", 4, 5, "abc", 16, (size_t)3) == 14 && !strcmp(t, "   5|ab|0x10|3"));
    assert(print(t, 4, "%s", "abcdef") == 6 && !strcmp(t, "abc"));
    assert(print(t, sizeof t, "%.2f|%f|%.0f", 1.005, -0.5, 2.5) == 16 && !strcmp(t, "1.00|-0.500000|2"));
    assert(print(t, sizeof t, "%6.1f|%.3f", 99.95, 123456789.0625) == 20 && !strcmp(t, " 100.0|123456789.062"));
    char *made;
    assert(asprintf(&made, "%d-%s", 12, "x") == 4 && !strcmp(made, "12-x"));
    free(made);
    return 0;
}
