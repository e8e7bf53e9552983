// check: safe
// A handler that is popped with 0 does not run.
#include <assert.h>
#include <pthread.h>
int n;
void d(void *v) { n++; }
void *t(void *a) { pthread_cleanup_push(d, 0); pthread_cleanup_pop(0); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(n == 0); }
