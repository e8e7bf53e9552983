// check: unsafe assertion
// A destructor runs when the last thread has ended.
#include <assert.h>
#include <pthread.h>
int x;
__attribute__((destructor)) void d(void) { assert(x == 0); }
int main(void) { x = 1; pthread_exit(0); }
