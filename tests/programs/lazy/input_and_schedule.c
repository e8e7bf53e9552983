// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// The right inputs and the right moment, both.
#include <assert.h>
#include <pthread.h>

int input(void);
int key;

void *worker(void *arg) {
    int x = input();
    key = x * 7;
    key = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int seen = key;
    assert(seen != 0x0badcafe); //~ violation
    return 0;
}
