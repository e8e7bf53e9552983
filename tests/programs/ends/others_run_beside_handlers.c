// check: unsafe assertion
// Other threads run on while handlers do.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int x;
void h(void) { assert(x != 1); }
void *t(void *a) { x = 1; x = 2; return 0; }
int main(void) { pthread_t p; atexit(h); pthread_create(&p, 0, t, 0); return 0; }
