// check: safe
// A push that tries again writes the link of its node anew: nobody can tell.
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct node { struct node *next; int v; };
_Atomic(struct node *) top;
static void push(struct node *n) { struct node *old = atomic_load(&top); do { n->next = old; } while (!atomic_compare_exchange_weak(&top, &old, n)); }
struct node a, b;
void *t(void *x) { push(&a); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); push(&b); pthread_join(h, 0); int n = 0; for (struct node *p = top; p; p = p->next) n++; assert(n == 2); }
