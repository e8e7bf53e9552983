// check: safe
// The creator holds a lock until it has stored the handle.
#include <pthread.h>
#include <assert.h>
pthread_t h; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t(void *a) { pthread_mutex_lock(&m); assert(pthread_equal(h, pthread_self())); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_mutex_lock(&m); pthread_create(&h, 0, t, 0); pthread_mutex_unlock(&m); pthread_join(h, 0); }
