// check: unsafe memory
#include <pthread.h>

static _Thread_local int own;
static int *published;

static void *worker(void *arg) {
    published = &own;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return *published; //~ violation
}
