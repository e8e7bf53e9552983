// check: safe
// Two tokens are taken and put back for ever; each is owned by one thread at a time.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stack[2], height = 2, owned[2];

void *worker(void *arg) {
    while (1) {
        int item = -1;
        pthread_mutex_lock(&m);
        if (height > 0)
            item = stack[--height];
        pthread_mutex_unlock(&m);
        if (item >= 0) {
            assert(!owned[item]);
            owned[item] = 1;
            owned[item] = 0;
            pthread_mutex_lock(&m);
            stack[height++] = item;
            pthread_mutex_unlock(&m);
        }
    }
    return arg;
}

int main(void) {
    pthread_t t;
    stack[1] = 1;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    return 0;
}
