// check: unsafe assertion
// sem_wait is a cancellation point even if it need not wait.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
int a, b; sem_t s;
void *t(void *x) { a = 1; sem_wait(&s); b = 1; return 0; }
int main(void) { pthread_t p; sem_init(&s, 0, 1); pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
