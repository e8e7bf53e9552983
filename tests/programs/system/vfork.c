// check: unknown unsupported
// headline explicit lazy: unknown (not supported: vfork at tests/programs/system/vfork.c:8)
// Other processes are not modelled, and named.
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    return vfork() == 0;
}
