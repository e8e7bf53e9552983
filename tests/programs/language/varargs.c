// check: safe
#include <assert.h>
#include <stdarg.h>

int sum(int count, ...) {
    va_list args, again;
    int total = 0;
    va_start(args, count);
    va_copy(again, args);
    for (int i = 0; i < count; i++)
        total += va_arg(args, int);
    total *= va_arg(again, int);
    va_end(again);
    va_end(args);
    return total;
}

double mixed(const char *kinds, ...) {
    va_list args;
    double total = 0;
    va_start(args, kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'i')
            total += va_arg(args, int);
        else if (*kinds == 'l')
            total += (double)va_arg(args, long long);
        else
            total += va_arg(args, double);
    }
    va_end(args);
    return total;
}

int main(void) {
    assert(sum(3, 2, 3, 4) == 18);
    assert(sum(9, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 9);
    assert(mixed("idl", 1, 0.5, 2LL) == 3.5);
    return 0;
}
