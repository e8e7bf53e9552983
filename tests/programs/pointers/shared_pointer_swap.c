// check: safe
// Threads exchange whole pointers; every reader sees one of the two objects.
#include <assert.h>
#include <pthread.h>

int a = 1, b = 2;
int *current = &a;

void *worker(void *arg) {
    current = &b;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int v = *current;
    assert(v == 1 || v == 2);
    pthread_join(t, NULL);
    assert(current == &b && *current == 2);
    return 0;
}
