// check: unsafe assertion
// headline explicit auto lazy: unsafe (assertion at some_values_bug.c:21)
// The search comes past an input of many values to what is wrong behind it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int count;

static void *draw(void *unused) {
    if (rand() % 3 < 3)
        count++;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, draw, NULL);
    pthread_create(&other, NULL, draw, NULL);
    pthread_join(one, NULL), pthread_join(other, NULL);
    assert(count == 2); //~ violation
    return 0;
}
