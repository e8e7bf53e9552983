// check: unsafe memory
// main's local is gone when main has ended by pthread_exit.
#include <pthread.h>

int sink;

void *worker(void *arg) {
    sink = *(int *)arg; //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    int local = 1;
    pthread_create(&t, NULL, worker, &local);
    pthread_exit(NULL);
}
