// check: safe
#include <assert.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    char *end;
    assert(atoi("  -42x") == -42 && atoi("") == 0);
    assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z');
    assert(strtoul("777", NULL, 8) == 511 && labs(-3L) == 3 && abs(-4) == 4);
    int values[5] = {3, 1, 5, 2, 4}, key = 4;
    qsort(values, 5, sizeof *values, ascending);
    for (int i = 0; i < 5; i++)
        assert(values[i] == i + 1);
    assert((int *)bsearch(&key, values, 5, sizeof key, ascending) == &values[3]);
    key = 9;
    assert(bsearch(&key, values, 5, sizeof key, ascending) == NULL);
    return 0;
}
