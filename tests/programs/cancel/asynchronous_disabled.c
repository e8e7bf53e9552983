// check: safe
// A thread that is not to be cancelled finishes what it began.
#include <assert.h>
#include <pthread.h>
int a, b;
void *t(void *x) { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0); pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); a = 1; b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(a == b); }
