// check: safe
// lazy: skip, it takes long
// Michael and Scott's queue: one dummy node, the tail may lag behind by one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};
struct node dummy, nodes[3];
_Atomic(struct node *) head = &dummy, tail = &dummy;

static void enqueue(struct node *n) {
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, n)) {
            atomic_compare_exchange_strong(&tail, &last, n);
            return;
        }
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (!next)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return value;
    }
}

void *producer(void *arg) {
    nodes[0].value = 1;
    enqueue(&nodes[0]);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    nodes[1].value = 2;
    enqueue(&nodes[1]);
    int first = dequeue();
    assert(first == 1 || first == 2);
    pthread_join(t, NULL);
    assert(dequeue() == 3 - first);
    assert(dequeue() == 0);
    return 0;
}
