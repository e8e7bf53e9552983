// check: unsafe assertion
// A new thread may run before its creator has stored the handle.
#include <pthread.h>
#include <assert.h>
pthread_t h;
void *t(void *a) { assert(pthread_equal(h, pthread_self())); return 0; }
int main(void) { pthread_create(&h, 0, t, 0); pthread_join(h, 0); }
