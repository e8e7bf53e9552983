// check: unsafe assertion
// One remainder of many is wrong.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
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
    assert(drawn != 477); //~ violation
    return 0;
}
