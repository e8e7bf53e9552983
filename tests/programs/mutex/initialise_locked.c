// check: unsafe lock
// Initialising a mutex that is locked is misuse.
#include <pthread.h>
pthread_mutex_t m;
int main(void) { pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_init(&m, 0); pthread_mutex_unlock(&m); }
