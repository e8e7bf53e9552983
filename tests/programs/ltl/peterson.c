// check --ltl [](!(one&&other)) --prop one=inside[0] --prop other=inside[1]: safe
// lazy: skip a formula
// Mutual exclusion.
// check --fair --ltl G(want->F(crit)) --prop want=wants[0] --prop crit=inside[0]: safe
// lazy: skip a formula
// Whoever waits gets in, if nobody is left out for ever.
// check --ltl G(want->F(crit)) --prop want=wants[0] --prop crit=inside[0]: unsafe ltl
// lazy: skip a formula
// One thread may be left out for ever.
#include <pthread.h>

volatile int flag[2], turn, wants[2], inside[2];

void *thread(void *arg) {
    int me = arg != 0, other = 1 - me;
    for (;;) {
        wants[me] = 1;
        flag[me] = 1;
        turn = other;
        while (flag[other] && turn == other)
            ;
        inside[me] = 1;
        wants[me] = 0;
        inside[me] = 0;
        flag[me] = 0;
    }
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, &t);
    thread(0);
}
