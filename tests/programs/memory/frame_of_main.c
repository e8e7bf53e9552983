// check: safe
// args: --property memory,thread
// headline prove: safe
// A variable of main is there as long as main has not returned: others may use it without being joined first, for the
// process ends with main.
#include <pthread.h>

void *worker(void *arg) {
    for (;;)
        ++*(unsigned *)arg;
}

int main(void) {
    unsigned count = 0;
    pthread_t t;
    pthread_create(&t, NULL, worker, &count);
    return 0;
}
