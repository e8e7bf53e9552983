// check: safe
// A thread of deferred type is not cancelled where it has no cancellation point.
#include <assert.h>
#include <pthread.h>
int a, b;
void *t(void *x) { a = 1; b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
