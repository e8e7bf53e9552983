// check: safe
// Destructors of thread-specific data run at most four times over.
#include <assert.h>
#include <pthread.h>
pthread_key_t k; int n;
void d(void *v) { n++; pthread_setspecific(k, v); }
void *t(void *a) { pthread_setspecific(k, &n); return 0; }
int main(void) { pthread_t p; pthread_key_create(&k, d); pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(n == 4); }
