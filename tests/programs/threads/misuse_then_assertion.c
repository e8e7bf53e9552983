// check: unsafe assertion
// args: --property assertion
// The second join fails at once, so its result is not there. Only assertions are asked for.
#include <assert.h>
#include <pthread.h>

void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    int x;
    void *result = NULL;
    pthread_create(&t, NULL, worker, &x);
    pthread_join(t, NULL);
    pthread_join(t, &result);
    assert(result == &x); //~ violation
    return 0;
}
