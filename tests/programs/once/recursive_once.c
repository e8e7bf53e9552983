// check: unsafe deadlock
// The initialiser asks for its own initialisation.
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;

void initialise(void) {
    pthread_once(&once, initialise); //~ violation
}

int main(void) {
    pthread_once(&once, initialise);
    return 0;
}
