// check: unsafe memory
// args: --engine lazy --unwind 1 --rounds 2
// The index is checked, and then read again.
#include <pthread.h>

int table[4], next = 3;

void *worker(void *arg) {
    if (next < 4)
        table[next] = 1; //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    next++;
    pthread_join(t, NULL);
    return 0;
}
