// check: unsafe assertion
// args: --may-fail create
// Creating a thread may fail, on request.
#include <pthread.h>
#include <assert.h>
void *t(void *a) { return 0; }
int main(void) { pthread_t h; assert(pthread_create(&h, 0, t, 0) == 0); pthread_join(h, 0); }
