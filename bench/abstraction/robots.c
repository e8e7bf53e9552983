// Two robots on a board of N by N fields, one going along rows, one along columns; they report their way in a sum.
// They may meet only on the diagonal of the first row and column. The abstraction keeps where they are.
#include <pthread.h>

#ifndef N
#define N 4
#endif

int x[2], y[2];
unsigned char travelled[2];

static int view[4];

void update_abs(void) {
    view[0] = x[0];
    view[1] = y[0];
    view[2] = x[1];
    view[3] = y[1];
}

int on_board(void) { return x[0] < N && y[0] < N && x[1] < N && y[1] < N; }

void *rows(void *arg) {
    for (;;) {
        x[0] = (x[0] + 1) % N;
        if (x[0] == 0)
            y[0] = (y[0] + 1) % N;
        travelled[0] += x[0] + y[0];
    }
}

void *columns(void *arg) {
    for (;;) {
        y[1] = (y[1] + 1) % N;
        if (y[1] == 0)
            x[1] = (x[1] + 1) % N;
        travelled[1] += x[1] + y[1];
    }
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, rows, 0);
    columns(0);
}
