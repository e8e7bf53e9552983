// check: unsafe assertion
// pthread_exit in the only thread ends the process as exit does.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
void h(void) { assert(0); }
int main(void) { atexit(h); pthread_exit(0); }
