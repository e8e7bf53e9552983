// check: safe
// Locals and blocks of the heap hold anything before they are initialised.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
int main(void) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); pthread_mutex_lock(m); pthread_mutex_unlock(m);free(m); 
 pthread_mutex_t k; pthread_mutex_init(&k, 0); pthread_mutex_lock(&k); pthread_mutex_unlock(&k);
 for (int i = 0; i < 2; i++) { pthread_mutex_t z; pthread_mutex_init(&z, 0); pthread_mutex_lock(&z); pthread_mutex_unlock(&z);} }
