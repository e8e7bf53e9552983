// check: safe
// The same stack; a node that was taken off never comes back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    int taken;
};
struct node a, b, c;
_Atomic(struct node *) top;

static struct node *pop(void) {
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
        ;
    return old;
}

static void push(struct node *n) {
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n))
        ;
}

void *other(void *arg) {
    struct node *first = pop();
    first->taken++;
    push(&c);
    return arg;
}

int main(void) {
    pthread_t t;
    a.next = &b;
    top = &a;
    pthread_create(&t, NULL, other, NULL);
    struct node *mine = pop();
    mine->taken++;
    pthread_join(t, NULL);
    struct node *rest = pop();
    assert(rest && rest->taken == 0);
    assert(a.taken + b.taken + c.taken == 2);
    return 0;
}
