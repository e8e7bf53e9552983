// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at aba_of_a_stack.c:50)
// assumption: at most two blocks of a run lie where one of the two that were freed last did
// assumption: threads can always be created (--may-fail create)
// assumption: there is always enough memory (--may-fail malloc)
// Treiber's stack: the node on top is another one at the same address, and the exchange brings back a node that was freed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *popper(void *arg) {
    pthread_mutex_lock(&m);
    struct node *old = top;
    struct node *next = old ? old->next : 0;
    pthread_mutex_unlock(&m);
    if (old)
        atomic_compare_exchange_strong(&top, &old, next);
    return arg;
}

static void *changer(void *arg) {
    pthread_mutex_lock(&m);
    struct node *first = top, *second = first->next;
    free(second);
    free(first);
    struct node *new = malloc(sizeof *new);
    new->next = 0;
    new->value = 3;
    top = new;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    struct node *second = calloc(1, sizeof *second), *first = calloc(1, sizeof *first);
    first->next = second;
    top = first;
    pthread_create(&t, 0, popper, 0);
    changer(0);
    pthread_join(t, 0);
    if (top)
        return top->value; //~ violation
    return 0;
}
