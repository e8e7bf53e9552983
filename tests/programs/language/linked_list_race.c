// check: unsafe assertion
// Without the lock one of the two nodes can get lost.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
struct node *head;

void *push(void *arg) {
    struct node *n = malloc(sizeof *n);
    n->next = head;
    head = n;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, push, NULL);
    push(NULL);
    pthread_join(t, NULL);
    assert(head->next != NULL); //~ violation
    return 0;
}
