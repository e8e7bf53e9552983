// Two polite people meet at a door. Each gives way as soon as the other one wants to pass.
//
//     selvedge check examples/after_you.c
//     selvedge check examples/after_you.c --livelock
//
// What to look for: nothing fails, and nobody waits; but there is a run in which both give way for ever (--livelock).
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool wants[2];
static int passed;

static void *pass(void *arg) {
    int me = *(int *)arg;
    for (;;) {
        wants[me] = true;
        if (!wants[!me])
            break;
        wants[me] = false;
    }
    passed++;
    wants[me] = false;
    return NULL;
}

int main(void) {
    pthread_t one, other;
    int zero = 0, first = 1;
    pthread_create(&one, NULL, pass, &zero);
    pthread_create(&other, NULL, pass, &first);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return passed == 2 ? 0 : 1;
}
