// property: race
// A node is filled before it becomes a part of the list, whose lock protects it from then on. The twin fills it later.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;

static void *insert(void *unused)
{
    struct node *node = malloc(sizeof *node);
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

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    for (struct node *node = list; node; node = node->next)
        node->value++;
    pthread_mutex_unlock(&lock);
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
