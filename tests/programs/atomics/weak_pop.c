// check: safe
// A pop that tries again takes the only node.
#include <stdatomic.h>
#include <assert.h>
struct node { struct node *next; }; struct node a;
_Atomic(struct node *) top = &a;
static struct node *pop(void) { struct node *old = atomic_load(&top); while (old && !atomic_compare_exchange_weak(&top, &old, old->next)); return old; }
int main(void) { assert(pop() == &a); assert(!pop()); }
