// check: unsafe
// Without the counter a node may have been popped and pushed again in between.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct lstack_node {
    void *value;
    struct lstack_node *next;
};
struct lstack_head {
    uintptr_t aba;
    struct lstack_node *node;
};
typedef struct {
    struct lstack_node *node_buffer;
    _Atomic struct lstack_head head, free;
    _Atomic size_t size;
} lstack_t;
int lstack_init(lstack_t *l, size_t max) {
    struct lstack_head h = {0, NULL};
    l->head = ATOMIC_VAR_INIT(h);
    l->size = ATOMIC_VAR_INIT(0);
    l->node_buffer = malloc(max * sizeof(struct lstack_node));
    if (!l->node_buffer)
        return ENOMEM;
    for (size_t i = 0; i < max - 1; i++)
        l->node_buffer[i].next = l->node_buffer + i + 1;
    l->node_buffer[max - 1].next = NULL;
    struct lstack_head f = {0, l->node_buffer};
    l->free = ATOMIC_VAR_INIT(f);
    return 0;
}
static struct lstack_node *pop(_Atomic struct lstack_head *head) {
    struct lstack_head next, orig = atomic_load(head);
    do {
        if (orig.node == NULL)
            return NULL;
        next.aba = orig.aba;
        next.node = orig.node->next;
    } while (!atomic_compare_exchange_weak(head, &orig, next));
    return orig.node;
}
static void push(_Atomic struct lstack_head *head, struct lstack_node *node) {
    struct lstack_head next, orig = atomic_load(head);
    do {
        node->next = orig.node;
        next.aba = orig.aba + 1;
        next.node = node;
    } while (!atomic_compare_exchange_weak(head, &orig, next));
}
int lstack_push(lstack_t *l, void *v) {
    struct lstack_node *n = pop(&l->free);
    if (!n)
        return ENOMEM;
    n->value = v;
    push(&l->head, n);
    atomic_fetch_add(&l->size, 1);
    return 0;
}
void *lstack_pop(lstack_t *l) {
    struct lstack_node *n = pop(&l->head);
    if (!n)
        return NULL;
    atomic_fetch_sub(&l->size, 1);
    void *v = n->value;
    push(&l->free, n);
    return v;
}
static lstack_t st;
static int a = 1, b = 2;
static atomic_int sum;
static void *w(void *p) {
    if (lstack_push(&st, p))
        return NULL;
    int *q = lstack_pop(&st);
    if (q)
        sum += *q;
    return NULL;
}
int main(void) {
    lstack_init(&st, 2);
    pthread_t x, y;
    pthread_create(&x, NULL, w, &a);
    pthread_create(&y, NULL, w, &b);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    assert(sum == 3);
    free(st.node_buffer);
    return 0;
}
