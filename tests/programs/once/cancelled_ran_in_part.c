// check: unsafe assertion
// A routine that was cancelled begins anew, with what it had done by then.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
pthread_once_t o = PTHREAD_ONCE_INIT; int begun, done;
void init(void) { begun++; pthread_testcancel(); done++; }
void *t(void *x) { pthread_once(&o, init); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_once(&o, init); pthread_join(p, 0); assert(begun == 1); }
