// check: unsafe memory
// headline prove --property memory: unknown (no proof was found)
// When main ends as a thread, its variables end, and the process goes on.
#include <pthread.h>

void *worker(void *arg) {
    ++*(unsigned *)arg; //~ violation
    return NULL;
}

int main(void) {
    unsigned count = 0;
    pthread_t t;
    pthread_create(&t, NULL, worker, &count);
    pthread_exit(NULL);
}
