// check: unsafe assertion
// A signal may wake either waiter, also the one that came last.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting, first, woken;

void *waiter(void *arg) {
    int me = *(int *)arg;
    pthread_mutex_lock(&m);
    if (waiting++ == 0)
        first = me;
    pthread_cond_wait(&c, &m);
    if (woken++ == 0)
        assert(me == first); //~ violation
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waiter, &numbers[i]);
    int stage = 0;
    while (stage < 2) {
        pthread_mutex_lock(&m);
        if (stage == 0 && waiting == 2) {
            pthread_cond_signal(&c);
            stage = 1;
        } else if (stage == 1 && woken == 1) {
            stage = 2;
        }
        pthread_mutex_unlock(&m);
    }
    pthread_cond_broadcast(&c);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
