// Two threads add two variables to each other, five times: the largest value is a Fibonacci number, and
// the assertion allows everything below it. Only runs that alternate at every step reach it.
#include <assert.h>
#include <pthread.h>

#define ROUNDS 5
#define LARGEST 144

static int i = 1, j = 1;

static void *add_to_i(void *arg) {
    for (int k = 0; k < ROUNDS; k++)
        i += j;
    return arg;
}

static void *add_to_j(void *arg) {
    for (int k = 0; k < ROUNDS; k++)
        j += i;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add_to_i, NULL);
    pthread_create(&b, NULL, add_to_j, NULL);
    assert(i < LARGEST && j < LARGEST);
    return 0;
}
