// check: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
struct node *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *push(void *arg) {
    struct node *n = malloc(sizeof *n);
    n->value = *(int *)arg;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int values[2] = {1, 2}, sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, push, &values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (head) {
        struct node *n = head;
        head = n->next;
        sum += n->value;
        free(n);
    }
    assert(sum == 3);
    return 0;
}
