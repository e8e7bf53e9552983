// check: unsafe assertion
// pthread_join is a cancellation point.
#include <assert.h>
#include <pthread.h>
int a, b; pthread_t q;
void *u(void *x) { return 0; }
void *t(void *x) { a = 1; pthread_join(q, 0); b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&q, 0, u, 0); pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
