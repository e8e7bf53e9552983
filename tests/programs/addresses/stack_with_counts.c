// check: safe
// lazy: skip sixteen bytes that are exchanged at once
// A count beside the pointer tells the tops apart.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static _Atomic unsigned count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *popper(void *arg) {
    pthread_mutex_lock(&m);
    struct node *old = top;
    unsigned before = count;
    struct node *next = old ? old->next : 0;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    if (old && before == count)
        atomic_compare_exchange_strong(&top, &old, next);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *changer(void *arg) {
    pthread_mutex_lock(&m);
    struct node *first = top;
    if (!first->next) {
        pthread_mutex_unlock(&m);
        return arg;
    }
    struct node *second = first->next;
    free(second);
    free(first);
    struct node *new = malloc(sizeof *new);
    new->next = 0;
    new->value = 3;
    top = new;
    count++;
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
        return top->value;
    return 0;
}
