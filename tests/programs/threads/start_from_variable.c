// check: unsafe assertion
// Which routine the second thread runs is decided by the first.
#include <assert.h>
#include <pthread.h>

int reached;
void *good(void *arg) { return arg; }
void *bad(void *arg) { reached = 1; return arg; }
void *(*start)(void *) = good;

void *chooser(void *arg) {
    start = bad;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, chooser, NULL);
    pthread_create(&b, NULL, start, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!reached); //~ violation
    return 0;
}
