// check: safe
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; unsigned long flags; };
int main(void) {
    union { void *p; uintptr_t number; } u = { malloc(1) };
    struct node *n = malloc(sizeof *n);
    if (!u.p || !n) return 0;
    n->next = n;
    n->flags = 3;
    assert((u.number & 15) == 0 && (n->next->flags & 1) == 1);
    free(u.p);
    free(n);
    return 0;
}
