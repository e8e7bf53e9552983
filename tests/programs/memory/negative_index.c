// check: unsafe memory
// Two threads each take one; the check was true for both.
#include <pthread.h>

int stack[2] = {1, 2}, top = 1, sink;

void *worker(void *arg) {
    if (top > 0) {
        top--;
        sink = stack[top]; //~ violation
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}
