// check: unsafe lock
#include <semaphore.h>

int main(void) {
    sem_t s;
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_wait(&s); //~ violation
    return 0;
}
