// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
struct worker { long number; pthread_t id; };
static struct worker workers[3];
static struct worker *current;
static void *work(void *arg) { return arg; }
int main(void) {
    current = &workers[1];
    pthread_create(&current->id, 0, work, 0);
    pthread_join(workers[1].id, 0);
    pthread_create(&workers[2].id, 0, work, 0);
    assert(workers[1].id != workers[2].id); //~ violation
    pthread_join(workers[2].id, 0);
    return 0;
}
