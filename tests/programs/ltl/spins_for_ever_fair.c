// check: unsafe ltl
// args: --fair --ltl F(end)
// lazy: skip a formula
// Also if both get their turn.
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
