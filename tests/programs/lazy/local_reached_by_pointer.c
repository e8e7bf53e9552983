// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// A variable of main's stack, handed to a thread.
#include <assert.h>
#include <pthread.h>

void *worker(void *arg) {
    int *p = arg;
    *p = *p + 1;
    return NULL;
}

int main(void) {
    int local = 0;
    pthread_t t;
    pthread_create(&t, NULL, worker, &local);
    local = local + 1;
    pthread_join(t, NULL);
    assert(local == 2); //~ violation
    return 0;
}
