// check: safe
// The numbers beside the handles are none, though they are words and equal to numbers of threads.
#include <assert.h>
#include <pthread.h>
struct worker { unsigned long number; pthread_t id; };
static void *work(void *arg) { return arg; }
static void start(struct worker *worker, unsigned long number) { worker->number = number; pthread_create(&worker->id, 0, work, 0); }
int main(void) {
    struct worker workers[2], kept;
    start(&workers[0], 1);
    kept = workers[0];
    pthread_join(kept.id, 0);
    start(&workers[1], 2);
    assert(kept.number != workers[1].number);
    for (int i = 0; i < 2; i++)
        assert(workers[i].number == (unsigned long)i + 1);
    pthread_join(workers[1].id, 0);
    return 0;
}
