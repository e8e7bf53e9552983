// check: unsafe
// A thread joins another one whose handle may not be there yet.
#include <pthread.h>
#include <assert.h>
pthread_t h[2];
void *t(void *a) { pthread_join(h[0], 0); return 0; }
void *u(void *a) { return 0; }
int main(void) { pthread_create(&h[1], 0, t, 0); pthread_create(&h[0], 0, u, 0); pthread_join(h[1], 0); }
