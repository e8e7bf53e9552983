// check: safe
// args: --engine lazy
#include <assert.h>
#include <pthread.h>

int generations;

void *grandchild(void *arg) {
    generations++;
    return arg;
}

void *child(void *arg) {
    pthread_t t;
    generations++;
    pthread_create(&t, NULL, grandchild, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    assert(generations == 2);
    return 0;
}
