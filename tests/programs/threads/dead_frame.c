// check: unsafe memory
// The creating function returns while its local is still in use.
#include <pthread.h>

int sink;

void *worker(void *arg) {
    sink = *(int *)arg; //~ violation
    return NULL;
}

pthread_t begin(void) {
    pthread_t t;
    int local = 1;
    pthread_create(&t, NULL, worker, &local);
    return t;
}

int main(void) {
    pthread_t t = begin();
    pthread_join(t, NULL);
    return 0;
}
