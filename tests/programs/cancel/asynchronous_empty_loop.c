// check: safe
// An empty loop is left by asynchronous cancellation.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void *t(void *x) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); for (;;); return 0; }
int main(void) { pthread_t p; void *r; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, &r); assert(r == PTHREAD_CANCELED); }
