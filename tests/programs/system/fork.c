// check: unknown unsupported
// headline explicit lazy: unknown (not supported: fork at tests/programs/system/fork.c:8)
// Other processes are not modelled, and named.
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    return fork() == 0;
}
