// check: unsafe lock
// A read lock is given back by a thread that holds none.
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
void *t(void *a) { pthread_rwlock_unlock(&l); return 0; }
int main(void) { pthread_t h; pthread_rwlock_rdlock(&l); pthread_create(&h, 0, t, 0); pthread_join(h, 0); }
