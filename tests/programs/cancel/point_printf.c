// check: unsafe assertion
// printf is a cancellation point in glibc.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
int a, b;
void *t(void *x) { a = 1; printf("hello\n"); b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }
