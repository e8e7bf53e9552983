// check: safe
// headline explicit lazy tree: safe
// Loops around waits in which a thread that wakes up for nothing only waits again: with a predicate in a function, with a
// result that is kept, with the test at the end, inside of another loop.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int step;

static int is_at(int wanted) {
    return step == wanted;
}

void *other(void *arg) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < 1; i++) {
        int error = 0;
        while (step != 1 && !error)
            error = pthread_cond_wait(&c, &m);
        assert(step == 1);
        step = 2;
        pthread_cond_broadcast(&c);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&m);
    step = 1;
    pthread_cond_broadcast(&c);
    do {
        pthread_cond_wait(&c, &m);
    } while (!is_at(2));
    assert(step == 2);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
