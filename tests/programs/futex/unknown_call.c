// check: unknown unsupported
// headline explicit lazy: unknown (not supported: system call 56 at tests/programs/futex/unknown_call.c:8)
// System calls without a model are named by their number.
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    return (int)syscall(SYS_clone, 0, 0, 0, 0, 0);
}
