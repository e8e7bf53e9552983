// check: unsafe assertion
// The last thread to end runs the handlers of atexit.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int x;
void h(void) { assert(x == 0); }
void *t(void *a) { x = 1; return 0; }
int main(void) { pthread_t p; atexit(h); pthread_create(&p, 0, t, 0); pthread_exit(0); }
