// Peterson's algorithm, whose threads count how often they were in. The abstraction keeps what the algorithm knows.
#include <pthread.h>

volatile int flag[2], turn;
unsigned char entries[2];
int inside;

static struct {
    int flag[2], turn, inside;
} view;

void update_abs(void) {
    view.flag[0] = flag[0];
    view.flag[1] = flag[1];
    view.turn = turn;
    view.inside = inside;
}

int exclusion(void) { return inside <= 1; }

void *thread(void *arg) {
    int me = arg != 0, other = 1 - me;
    for (;;) {
        flag[me] = 1;
        turn = other;
        while (flag[other] && turn == other)
            ;
        inside++;
        entries[me]++;
        inside--;
        flag[me] = 0;
    }
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, &t);
    thread(0);
}
