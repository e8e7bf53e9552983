// check: unsafe race
// args: --property race
// printf reads, and races with a write.
#include <stdio.h>
#include <pthread.h>
char b[4] = "abc"; void *t(void *a) { b[0] = 'x'; return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); printf("%s", b); pthread_join(h, 0); }
