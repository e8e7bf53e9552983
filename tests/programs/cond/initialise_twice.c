// check: unsafe lock
// Initialising a condition variable twice without destroying it is misuse.
#include <pthread.h>
pthread_cond_t b;
int main(void) { pthread_cond_init(&b, 0); pthread_cond_init(&b, 0); pthread_cond_signal(&b); }
