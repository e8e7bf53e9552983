// check: unsafe assertion
// localtime has one result for all threads.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *arg) {
    time_t t = 86400 * (1 + *(int *)arg);
    struct tm *date = localtime(&t);
    assert(date->tm_mday == 2 + *(int *)arg); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    int a = 0, b = 1;
    pthread_create(&t, NULL, work, &a);
    work(&b);
    pthread_join(t, NULL);
    return 0;
}
