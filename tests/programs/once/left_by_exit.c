// check: safe
// A routine that was left by pthread_exit has not run.
#include <assert.h>
#include <pthread.h>
pthread_once_t o = PTHREAD_ONCE_INIT; int begun;
void init(void) { if (begun++ == 0) pthread_exit(0); }
void *t(void *x) { pthread_once(&o, init); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); pthread_once(&o, init); assert(begun == 2); }
