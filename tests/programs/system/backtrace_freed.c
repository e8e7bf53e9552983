// check: unsafe memory
// The texts are part of the one block.
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    void *frames[1];
    char **names = backtrace_symbols(frames, backtrace(frames, 1)), *name = names[0];
    free(names);
    puts(name); //~ violation
    return 0;
}
