// check: unsafe memory
// The result points to a variable of the thread that has ended.
#include <pthread.h>

int sink;

static int *remember(int *p) {
    return p;
}

void *worker(void *arg) {
    int local = *(int *)arg + 1;
    return remember(&local);
}

int main(void) {
    pthread_t t;
    int start = 1;
    void *result;
    pthread_create(&t, NULL, worker, &start);
    pthread_join(t, &result);
    sink = *(int *)result; //~ violation
    return 0;
}
