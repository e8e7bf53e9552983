// check: safe
// POSIX allows this: once woken, a thread does not touch the condition variable again.
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t *c;

void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    if (c)
        pthread_cond_wait(c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    c = malloc(sizeof *c);
    pthread_cond_init(c, NULL);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    pthread_cond_broadcast(c);
    pthread_cond_destroy(c);
    free(c);
    c = NULL;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
