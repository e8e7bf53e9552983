// check: unknown unsupported
// headline explicit lazy: unknown (not supported: clone at tests/programs/system/clone.c:12)
// A thread made by clone is not modelled, and named: it would never run.
#define _GNU_SOURCE
#include <sched.h>

static char stack[4096];

static int body(void *arg) { return 0; }

int main(void) {
    return clone(body, stack + sizeof stack, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, NULL) < 0;
}
