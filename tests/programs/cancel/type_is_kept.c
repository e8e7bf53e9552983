// check: safe
// The type of cancellation is kept.
#include <assert.h>
#include <pthread.h>
int main(void) { int o; pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &o); assert(o == PTHREAD_CANCEL_DEFERRED); pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &o); assert(o == PTHREAD_CANCEL_ASYNCHRONOUS); }
