// check: unsafe assertion
// fopen is a cancellation point in glibc.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
int a, b;
void *t(void *x) { a = 1; fopen("a", "r"); b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
