// check: unsafe invariant
// args: --invariant sorted
// lazy: skip an invariant
// The invariant walks a list on the heap, and watches what it finds there.
#include <pthread.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
static struct node *head;
int sorted(void) {
    for (struct node *n = head; n && n->next; n = n->next)
        if (n->key > n->next->key)
            return 0;
    return 1;
}
void *thread(void *arg) {
    head->next->key = 0; //~ violation
    return arg;
}
int main(void) {
    pthread_t t;
    struct node *second = malloc(sizeof *second), *first = malloc(sizeof *first);
    second->key = 2;
    second->next = NULL;
    first->key = 1;
    first->next = second;
    head = first;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
