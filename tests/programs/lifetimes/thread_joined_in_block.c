// check: safe
// headline explicit lazy tree: safe
#include <pthread.h>

void *worker(void *arg) {
    ++*(int *)arg;
    return 0;
}

int main(void) {
    pthread_t t;
    {
        int arg = 0;
        pthread_create(&t, 0, worker, &arg);
        pthread_join(t, 0);
    }
    return 0;
}
