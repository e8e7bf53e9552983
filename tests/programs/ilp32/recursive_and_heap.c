// check: safe
// args: -m32
// The kind of a mutex stands elsewhere, and a heap object of pointers is half as large.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int **table;

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    table[1] = arg;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    int x = 3;
    pthread_t t;
    table = calloc(2, sizeof *table);
    pthread_create(&t, NULL, worker, &x);
    pthread_mutex_lock(&m);
    while (!table[1])
        pthread_cond_wait(&c, &m);
    assert(*table[1] == 3 && !table[0]);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    free(table);
    return 0;
}
