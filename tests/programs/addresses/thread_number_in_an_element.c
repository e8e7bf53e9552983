// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
struct worker { long number; pthread_t earlier; };
static struct worker workers[3];
static void *work(void *arg) { return arg; }
static void *compare(void *arg) {
    struct worker *worker = arg;
    assert(worker->earlier != pthread_self()); //~ violation
    return arg;
}
int main(void) {
    pthread_t two;
    pthread_create(&workers[1].earlier, 0, work, 0);
    pthread_join(workers[1].earlier, 0);
    pthread_create(&two, 0, compare, &workers[1]);
    pthread_join(two, 0);
    return 0;
}
