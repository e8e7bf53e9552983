// Treiber's stack over a fixed pool of nodes, which are used again: the ABA problem. A node that was
// popped is on top once more, so the exchange succeeds with a successor that is out of date.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3
#define NONE (-1)

static atomic_int top = 0;
static atomic_int next[NODES] = {1, 2, NONE};
static atomic_int owned[NODES];

static int pop(void) {
    for (;;) {
        int node = top;
        if (node == NONE)
            return NONE;
        int below = next[node];
        if (atomic_compare_exchange_strong(&top, &node, below))
            return node;
    }
}

static void push(int node) {
    int above = top;
    do
        next[node] = above;
    while (!atomic_compare_exchange_strong(&top, &above, node));
}

static void own(int node) {
    assert(atomic_exchange(&owned[node], 1) == 0);
}

static void *pop_one(void *arg) {
    int node = pop();
    if (node != NONE)
        own(node);
    return arg;
}

static void *pop_two_push_one(void *arg) {
    int a = pop();
    if (a == NONE)
        return arg;
    own(a);
    int b = pop();
    if (b != NONE)
        own(b);
    owned[a] = 0;
    push(a);
    int c = pop();
    if (c != NONE)
        own(c);
    int d = pop();
    if (d != NONE)
        own(d);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, pop_one, NULL);
    pthread_create(&two, NULL, pop_two_push_one, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
