// check: unsafe assertion
// check -DGIVEN_BACK: safe
// A recursive lock remembers who has it. The second thread may have the number of the first, which ended with the lock.
#include <assert.h>
#include <pthread.h>

static struct {
    pthread_t owner;
    int depth;
} lock;
static int inside;

static int try_enter(void) {
    if (lock.depth > 0 && lock.owner != pthread_self())
        return 0;
    lock.owner = pthread_self();
    lock.depth++;
    return 1;
}

static void leave(void) { lock.depth--; }

static void *first(void *arg) {
    if (try_enter()) {
#ifdef GIVEN_BACK
        leave();
#endif
    }
    return arg;
}

static void *second(void *arg) {
    if (try_enter())
        inside = lock.depth;
    return arg;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, first, NULL);
    pthread_join(one, NULL);
    pthread_create(&other, NULL, second, NULL);
    pthread_join(other, NULL);
    assert(inside < 2); //~ violation
    return 0;
}
