// check: unsafe lock
// Initialising a spin lock twice without destroying it is misuse.
#include <pthread.h>
pthread_spinlock_t b;
int main(void) { pthread_spin_init(&b, 0); pthread_spin_init(&b, 0); pthread_spin_lock(&b);pthread_spin_unlock(&b); }
