// check: unsafe assertion
// args: --ltl true
// lazy: skip a formula
// A formula that nothing can break: the states are searched all the same.
#include <assert.h>
#include <pthread.h>
int x;
void *thread(void *arg) {
    x++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    x++;
    pthread_join(t, 0);
    assert(x == 2); //~ violation
    return 0;
}
