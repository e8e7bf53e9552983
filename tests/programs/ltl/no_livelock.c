// check: safe
// args: --livelock --fair
// lazy: skip a formula
#include <pthread.h>
void selvedge_progress(void);
volatile int flag[2], turn;
void *thread(void *arg) {
    int me = arg != 0, other = 1 - me;
    for (;;) {
        flag[me] = 1;
        turn = other;
        while (flag[other] && turn == other)
            ;
        selvedge_progress();
        flag[me] = 0;
    }
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, &t);
    thread(0);
}
