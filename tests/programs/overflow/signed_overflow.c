// check: unsafe overflow
// args: --property overflow
#include <limits.h>
#include <pthread.h>

int x = INT_MAX - 1;

void *worker(void *arg) {
    x = x + 1; //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    x = x + 1; //~ violation
    pthread_join(t, NULL);
    return 0;
}
