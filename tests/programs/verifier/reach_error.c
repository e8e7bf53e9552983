// check: unsafe assertion
// reach_error is an error even where the program gives it a body.
#include <pthread.h>

void reach_error(void) {}
int x;

void *worker(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (x == 1)
        reach_error(); //~ violation
    return 0;
}
