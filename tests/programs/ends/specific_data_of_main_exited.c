// check: unsafe assertion
// pthread_exit in main runs them.
#include <assert.h>
#include <pthread.h>
pthread_key_t k; int n;
void d(void *v) { assert(0); }
int main(void) { pthread_key_create(&k, d); pthread_setspecific(k, &n); pthread_exit(0); }
