// check: unsafe arithmetic
// The divisor is checked, and zero when it is used.
#include <pthread.h>

int divisor = 2, result;

void *worker(void *arg) {
    divisor = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (divisor != 0)
        result = 10 / divisor; //~ violation
    pthread_join(t, NULL);
    return 0;
}
