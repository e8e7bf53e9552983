// check: unsafe assertion
// A try fails while another thread has the mutex.
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); assert(pthread_mutex_trylock(&m) == 0); pthread_mutex_unlock(&m); pthread_join(h, 0); }
