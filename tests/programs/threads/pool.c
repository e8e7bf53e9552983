// check: safe
// Two workers take jobs from a queue under a mutex, until it is closed.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int queue[2], head, tail, closed;
int done[2];

void *worker(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        while (head == tail && !closed)
            pthread_cond_wait(&filled, &m);
        if (head == tail) {
            pthread_mutex_unlock(&m);
            return arg;
        }
        int job = queue[head++];
        pthread_mutex_unlock(&m);
        done[job]++;
    }
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int job = 0; job < 2; job++) {
        pthread_mutex_lock(&m);
        queue[tail++] = job;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(done[0] == 1 && done[1] == 1);
    return 0;
}
