// check: safe
// headline explicit lazy tree: safe
// An initial value that is too large is refused, and the semaphore is what it was.
#include <assert.h>
#include <errno.h>
#include <semaphore.h>

sem_t s;

int main(void) {
    int value;
    assert(sem_init(&s, 0, 1) == 0);
    assert(sem_init(&s, 0, 0x80000000u) == -1 && errno == EINVAL);
    assert(sem_wait(&s) == 0);
    assert(sem_getvalue(&s, &value) == 0 && value == 0);
    assert(sem_destroy(&s) == 0);
    return 0;
}
