// check: safe
// args: --property deadlock
// By default a reader that reads again overtakes the writer that waits.
#define _GNU_SOURCE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l; int x;
void *r(void *a) { pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);pthread_rwlock_unlock(&l); return 0; }
void *w(void *a) { pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l); return 0; }
int main(void) { pthread_rwlock_init(&l, 0);
 pthread_t a, b; pthread_create(&a, 0, r, 0); pthread_create(&b, 0, w, 0); pthread_join(a, 0); pthread_join(b, 0); }
