// check: safe
// The return from main runs no destructors of thread-specific data.
#include <assert.h>
#include <pthread.h>
pthread_key_t k; int n;
void d(void *v) { assert(0); }
int main(void) { pthread_key_create(&k, d); pthread_setspecific(k, &n); return 0; }
