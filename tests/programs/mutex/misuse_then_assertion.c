// check: unsafe assertion
// args: --property assertion
// The other thread frees a mutex it does not hold, so two threads get in. Only assertions are asked for.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *other(void *arg) {
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    inside = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, other, NULL);
    assert(inside == 0); //~ violation
    pthread_mutex_unlock(&m);
    return 0;
}
