// check: safe
// Workers without end: the state space is finite all the same.
#include <assert.h>
#include <pthread.h>

int wants[2], turn, inside;

void *worker(void *arg) {
    int me = *(int *)arg, other = 1 - me;
    while (1) {
        wants[me] = 1;
        turn = other;
        while (wants[other] && turn == other)
            ;
        inside++;
        assert(inside == 1);
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
