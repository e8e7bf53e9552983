// check: unsafe ltl
// args: --property assertion --ltl F(end)
// lazy: skip a formula
// The last state lasts.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
