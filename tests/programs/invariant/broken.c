// check: unsafe invariant
// args: --invariant sum_is_kept
// lazy: skip an invariant
#include <pthread.h>
static int savings = 100, current = 100;
int sum_is_kept(void) { return savings + current == 200; }
void *thread(void *arg) {
    savings -= 10; //~ violation
    current += 10;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
