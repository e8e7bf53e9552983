// check: unsafe assertion
// args: --abstraction small
// lazy: skip an abstraction
#include <assert.h>
#include <pthread.h>
static int count;
static unsigned noise;
static int seen;
static void small(void) { seen = count; }
void *thread(void *arg) {
    noise++;
    count++;
    noise++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    thread(0);
    pthread_join(t, 0);
    assert(count == 2); //~ violation
    return 0;
}
