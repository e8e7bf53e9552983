// property: race
// A node is filled before it becomes a part of the list, whose lock protects it from then on. The twin fills a part of it later.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int key, value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;

static void *insert(void *unused)
{
    struct node *node = malloc(sizeof *node);
    node->key = __VERIFIER_nondet_int();
    node->next = 0;
#ifndef TWIN
    node->value = 1;
#endif
    pthread_mutex_lock(&lock);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&lock);
#ifdef TWIN
    node->value = 1;
#endif
    return unused;
}

static void *take_out(void *unused)
{
    pthread_mutex_lock(&lock);
    struct node *first = list;
    if (first) {
        list = first->next;
        first->value += first->key;
        free(first);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, insert, 0);
        pthread_create(&thread, 0, take_out, 0);
    }
}
