// check: unsafe ltl
// args: --livelock --fair
// lazy: skip a formula
// Two who give way to each other, politely and for ever.
#include <pthread.h>
void selvedge_progress(void);
volatile int want[2];
void *thread(void *arg) {
    int me = arg != 0;
    for (;;) {
        want[me] = 1;
        while (want[1 - me]) {
            want[me] = 0;
            want[me] = 1;
        }
        selvedge_progress();
        want[me] = 0;
    }
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, &t);
    thread(0);
}
