// check: unsafe assertion
// The turn is given away before the wish is announced.
#include <assert.h>
#include <pthread.h>

int wants[2], turn, inside;

void *worker(void *arg) {
    int me = *(int *)arg, other = 1 - me;
    while (1) {
        turn = other;
        wants[me] = 1;
        while (wants[other] && turn == other)
            ;
        inside++;
        assert(inside == 1); //~ violation
        inside--;
        wants[me] = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    int numbers[2] = {0, 1};
    pthread_create(&t, NULL, worker, &numbers[1]);
    worker(&numbers[0]);
    return 0;
}
