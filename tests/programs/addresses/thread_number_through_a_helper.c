// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
struct worker { long number; pthread_t id; };
static void *work(void *arg) { return arg; }
static void start(pthread_t *id) { pthread_create(id, 0, work, 0); }
int main(void) {
    struct worker one, two;
    start(&one.id);
    pthread_join(one.id, 0);
    start(&two.id);
    assert(one.id != two.id); //~ violation
    pthread_join(two.id, 0);
    return 0;
}
