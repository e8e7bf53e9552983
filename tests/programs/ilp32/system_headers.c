// check: safe
// args: -m32
// Headers of the kernel lie where compilers of 64 bits look for them.
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>

int main(void) {
    sem_t semaphore;
    assert(sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    return 0;
}
