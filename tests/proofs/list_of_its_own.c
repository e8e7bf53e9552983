// property: race
// Each thread makes a list that nobody else knows. In the twin a node leads to its first one, and others find that node.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *shown;

static void *work(void *unused)
{
    struct node *first = 0;
    for (int i = 0; i < 10; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = first;
        first = node;
    }
    struct node *last = malloc(sizeof *last);
    last->next = first;
    pthread_mutex_lock(&lock);
#ifdef TWIN
    if (shown && shown->next)
        shown->next->value++;
    shown = last;
#else
    shown = 0;
#endif
    pthread_mutex_unlock(&lock);
    for (struct node *node = first; node; node = node->next)
        node->value++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, work, 0);
}
