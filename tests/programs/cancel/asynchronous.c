// check: unsafe assertion
// A thread of asynchronous type may be cancelled between any two steps.
#include <assert.h>
#include <pthread.h>
int a, b;
void *t(void *x) { int o; pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &o); a = 1; b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
