// check: unsafe lock
// headline explicit lazy tree: unsafe (lock at init_fails.c:15)
// headline explicit lazy tree --property assertion: safe
// Initialising a semaphore again is misuse. Where that is not checked, an initial value that is too large is refused, and the
// semaphore is what it was.
#include <assert.h>
#include <errno.h>
#include <semaphore.h>

sem_t s;

int main(void) {
    int value;
    assert(sem_init(&s, 0, 1) == 0);
    assert(sem_init(&s, 0, 0x80000000u) == -1 && errno == EINVAL); //~ violation
    assert(sem_wait(&s) == 0);
    assert(sem_getvalue(&s, &value) == 0 && value == 0);
    assert(sem_destroy(&s) == 0);
    return 0;
}
