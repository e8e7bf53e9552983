// check: safe-under-abstraction
// args: --abstraction --invariant inside<=1
// lazy: skip an abstraction
// Without it there are four thousand million values of each counter.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned entries[2], inside;
static int view[2];
void update_abs(void) {
    view[0] = inside;
    view[1] = entries[0] > 0;
}
void *thread(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        inside++;
        entries[arg != 0]++;
        inside--;
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, &t);
    thread(0);
}
