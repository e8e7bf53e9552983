// check: unsafe memory
// headline explicit lazy tree cbmc: unsafe (memory at thread_outlives_block.c:7)
// The thread is given a variable of a block that main may have left.
#include <pthread.h>

void *worker(void *arg) {
    ++*(int *)arg; //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    {
        int arg = 0;
        pthread_create(&t, 0, worker, &arg);
    }
    pthread_join(t, 0);
    return 0;
}
