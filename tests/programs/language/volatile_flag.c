// check: safe
#include <assert.h>
#include <pthread.h>

volatile int ready;
int data;

void *producer(void *arg) {
    data = 3;
    ready = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!ready)
        ;
    assert(data == 3);
    pthread_join(t, NULL);
    return 0;
}
