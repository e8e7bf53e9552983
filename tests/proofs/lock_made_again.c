// property: race
// Nodes with locks of their own are made and shown to others with their locks ready. In the twin some thread makes a lock
// again that somebody may have.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static pthread_mutex_t of_list = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;

static void *insert(void *unused)
{
    struct node *node = calloc(1, sizeof *node);
    pthread_mutex_init(&node->lock, 0);
    node->value = 1;
    pthread_mutex_lock(&of_list);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&of_list);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&of_list);
    struct node *node = list;
    pthread_mutex_unlock(&of_list);
    if (!node)
        return unused;
#ifdef TWIN
    if (__VERIFIER_nondet_int())
        pthread_mutex_init(&node->lock, 0);
#endif
    pthread_mutex_lock(&node->lock);
    node->value++;
    pthread_mutex_unlock(&node->lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, insert, 0);
        pthread_create(&thread, 0, use, 0);
    }
}
