// check: unsafe lock
// headline explicit lazy tree cbmc swarm: unsafe (lock at init_fails_destroyed.c:12)
// A destroyed semaphore is not made good by an initialisation that fails.
#include <semaphore.h>

sem_t s;

int main(void) {
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_init(&s, 0, 0xFFFFFFFFu);
    sem_wait(&s); //~ violation
    return 0;
}
