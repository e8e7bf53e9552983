// check: safe
// check -DJOINED_FIRST: unsafe assertion
// A thread that was joined leaves its number to others, whether handles are compared by pthread_equal or by `==`.
#include <assert.h>
#include <pthread.h>

static void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, nothing, NULL);
#ifdef JOINED_FIRST
    pthread_join(one, NULL);
#endif
    pthread_create(&other, NULL, nothing, NULL);
    assert(one != other); //~ violation
#ifndef JOINED_FIRST
    pthread_join(one, NULL);
#endif
    pthread_join(other, NULL);
    return 0;
}
