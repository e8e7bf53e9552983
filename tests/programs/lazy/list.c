// check --engine lazy --unwind 3: safe
// check --engine lazy --unwind 3 --rounds 2 -DUNLOCKED: unsafe assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *next; };
struct node *head;
#ifdef UNLOCKED
#define LOCK(m) (void)m
#define UNLOCK(m) (void)m
#else
#define LOCK(m) pthread_mutex_lock(m)
#define UNLOCK(m) pthread_mutex_unlock(m)
#endif
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    LOCK(&m);
    n->next = head;
    head = n;
    UNLOCK(&m);
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
