// check: unsafe assertion
// args: --engine lazy --unwind 3 --rounds 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *next; };
struct node *head;

void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    head = n;
}

void *worker(void *arg) {
    push(2);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    push(1);
    pthread_join(t, NULL);
    int sum = 0;
    for (struct node *n = head; n; n = n->next)
        sum += n->value;
    assert(sum == 3); //~ violation
    return 0;
}
