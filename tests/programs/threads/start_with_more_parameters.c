// check: unsafe assertion
// headline explicit lazy tree cbmc swarm: unsafe (assertion at start_with_more_parameters.c:9)
// The first parameter gets the argument, the second whatever was there.
#include <assert.h>
#include <pthread.h>

void *worker(void *arg, int number) {
    assert(*(int *)arg == 3);
    assert(number != 7); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    int x = 3;
    pthread_create(&t, NULL, (void *(*)(void *))worker, &x);
    pthread_join(t, NULL);
    return 0;
}
