// check: unsafe assertion
// args: --opt O2
// A program's own reach_error is not inlined and lost, whatever is in it.
#include <pthread.h>
int x;
void reach_error(void) {}
void __VERIFIER_assert(int condition) {
    if (!condition)
        reach_error(); //~ violation
}
void *thread(void *arg) {
    x = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    __VERIFIER_assert(x == 0);
    pthread_join(t, 0);
    return 0;
}
