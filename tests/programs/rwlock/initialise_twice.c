// check: unsafe lock
// Initialising a read-write lock twice without destroying it is misuse.
#include <pthread.h>
pthread_rwlock_t b;
int main(void) { pthread_rwlock_init(&b, 0); pthread_rwlock_init(&b, 0); pthread_rwlock_rdlock(&b);pthread_rwlock_unlock(&b); }
