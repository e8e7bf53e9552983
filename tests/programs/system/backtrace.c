// check: safe
// lazy: skip the formulas of many bytes and descriptors are large
#include <assert.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    void *frames[2];
    int count = backtrace(frames, 2);
    assert(count >= 1 && count <= 2);
    char **names = backtrace_symbols(frames, count);
    for (int i = 0; i < count; i++)
        puts(names[i]);
    free(names);
    return 0;
}
