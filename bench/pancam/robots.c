// Two robots on a board of SIZE x SIZE fields, one going along rows, the other along columns. They may meet only on the
// diagonal, or where one of them has just left.
#include <assert.h>
#include <pthread.h>

#ifndef SIZE
#define SIZE 3
#endif

static int visits[SIZE][SIZE];

static void *along_rows(void *arg) {
    (void)arg;
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++)
            visits[row][column] = 1;
    return NULL;
}

static void *along_columns(void *arg) {
    (void)arg;
    for (int column = 0; column < SIZE; column++)
        for (int row = 0; row < SIZE; row++)
            visits[row][column] = 2;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, along_rows, NULL);
    pthread_create(&second, NULL, along_columns, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    for (int i = 0; i < SIZE; i++)
        assert(visits[i][i] == 1 || visits[i][i] == 2);
    return 0;
}
