// check: unsafe assertion
// write is a cancellation point.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int a, b;
void *t(void *x) { char c; a = 1; write(1, "x", 1); b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
