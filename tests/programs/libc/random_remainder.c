// check: safe
// Of a random number only its remainder is used, whatever the divisor: every remainder is tried where it matters, and
// nothing where it does not.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int least = 3, drawn;

void *draw(void *sides) {
    usleep(rand() % 1000);
    drawn = least + rand() % *(int *)sides;
    usleep(rand() % 1000 * 10);
    return NULL;
}

int main(void) {
    int sides = 600;
    pthread_t thread;
    pthread_create(&thread, NULL, draw, &sides);
    pthread_join(thread, NULL);
    assert(drawn >= 3 && drawn < 603);

    int low = rand() & 15, tenth = rand() / (RAND_MAX / 10 + 1);
    assert(low >= 0 && low < 16 && tenth >= 0 && tenth < 10);
    struct timespec pause = {0, rand() % 1000 * 1000000L};
    nanosleep(&pause, NULL);
    int both = rand() % 100;
    assert(both / 10 * 10 + both % 10 == both);
    return 0;
}
