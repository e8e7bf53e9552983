// check: unsafe assertion
// A stack without locks whose nodes are used again at once: the exchange succeeds on a node that was
// taken off and put back, and the next node it installs is not in the stack any more.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    int taken;
};
struct node a, b;
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
    if (first)
        first->taken++;
    struct node *second = pop();
    if (second)
        second->taken++;
    if (first) {
        first->taken--;
        push(first);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    a.next = &b;
    top = &a;
    pthread_create(&t, NULL, other, NULL);
    struct node *mine = pop();
    if (mine)
        mine->taken++;
    pthread_join(t, NULL);
    struct node *rest = pop();
    assert(!rest || rest->taken == 0); //~ violation
    return 0;
}
