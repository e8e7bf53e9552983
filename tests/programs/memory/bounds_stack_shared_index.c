// check: unsafe memory
// The index is checked, then changed by another thread, then used.
#include <pthread.h>

int index_;

void *worker(void *arg) {
    index_ = 9;
    return arg;
}

int main(void) {
    pthread_t t;
    int local[4] = {0};
    pthread_create(&t, NULL, worker, NULL);
    if (index_ < 4)
        local[index_] = 1; //~ violation
    pthread_join(t, NULL);
    return local[0];
}
