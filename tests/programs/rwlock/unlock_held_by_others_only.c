// check: unsafe lock
// A thread that reads one lock must not unlock another one, which others read.
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k = PTHREAD_RWLOCK_INITIALIZER;
int other;
void *t(void *a) { pthread_rwlock_rdlock(&l); other = 1; pthread_rwlock_unlock(&k); return 0; }
int main(void) { pthread_t h; pthread_rwlock_rdlock(&k); pthread_create(&h, 0, t, 0); pthread_join(h, 0); pthread_rwlock_unlock(&k); }
