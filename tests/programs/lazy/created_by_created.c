// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>

int generations;

void *grandchild(void *arg) {
    generations = 2;
    return arg;
}

void *child(void *arg) {
    pthread_t t;
    generations = 1;
    pthread_create(&t, NULL, grandchild, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    assert(generations == 1); //~ violation
    return 0;
}
