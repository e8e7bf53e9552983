// check: unsafe ltl
// args: --ltl F(end)
// lazy: skip a formula
// Nobody makes the other one wait for ever, but one may have gone before the other one looks.
// check --fair: unsafe ltl
// lazy: skip a formula
#include <pthread.h>
volatile int go;
void *thread(void *arg) {
    go = 1;
    go = 0;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    while (!go)
        ;
    pthread_join(t, 0);
    return 0;
}
