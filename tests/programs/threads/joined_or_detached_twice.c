// check -DFIRST=pthread_detach(t) -DSECOND=pthread_join(t,0): unsafe thread
// check -DFIRST=pthread_join(t,0) -DSECOND=pthread_detach(t): unsafe thread
// check -DFIRST=pthread_join(t,0) -DSECOND=pthread_join(t,0): unsafe thread
#include <pthread.h>

void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    FIRST;
    SECOND; //~ violation
    return 0;
}
