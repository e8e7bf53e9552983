// check: unsafe ltl
// args: --ltl G(busy->locked) --prop busy=account.busy --prop locked=holder
// lazy: skip a formula
// What a lock protects is seen all the same; static and typed.
#include <pthread.h>
#include <stddef.h>
static struct account { char padding[3]; short busy; } account;
static int *holder;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *thread(void *arg) {
    pthread_mutex_lock(&m);
    account.busy = 1;
    holder = (int *)&account;
    account.busy = 0;
    holder = NULL;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    thread(0);
    pthread_join(t, 0);
    return 0;
}
