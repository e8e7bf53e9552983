// check: safe
// What main has lives as long as the process: nobody finds it gone, and the process still there.
#include <pthread.h>

static void *set(void *p) {
    *(int *)p = 1;
    return 0;
}

int main(void) {
    int local = 0;
    pthread_t t;
    pthread_create(&t, 0, set, &local);
    return 0;
}
