// check: safe
// args: --unknown-functions havoc
// Locks keep their state.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void f(void); int main(void) { pthread_mutex_lock(&m); f(); pthread_mutex_unlock(&m); }
