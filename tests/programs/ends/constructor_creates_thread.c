// check: unsafe assertion
// A thread that a constructor created runs beside main.
#include <assert.h>
#include <pthread.h>
int x; pthread_t p;
void *t(void *a) { x++; return 0; }
__attribute__((constructor)) void c(void) { pthread_create(&p, 0, t, 0); }
int main(void) { x++; pthread_join(p, 0); assert(x == 2); }
