// check: unsafe assertion
// A handle is copied with the struct that it is in: it may be equal to that of a later thread all the same.
#include <assert.h>
#include <pthread.h>

struct worker { int number; pthread_t id; };

static void *work(void *arg) { return arg; }

int main(void) {
    struct worker one = { .number = 1 }, two = { .number = 2 }, kept;
    pthread_create(&one.id, 0, work, 0);
    pthread_join(one.id, 0);
    kept = one;
    pthread_create(&two.id, 0, work, 0);
    assert(kept.id != two.id); //~ violation
    pthread_join(two.id, 0);
    return 0;
}
