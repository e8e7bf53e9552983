// check: safe
// args: --property race
// headline prove: safe
// headline lazy --cflags=-DRACE: unsafe (race at any_number.c:17)
// However many threads there are, and however often they go round, a common lock is enough.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *argument)
{
    (void)argument;
#ifdef RACE
    shared++;
#endif
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
    return 0;
}
