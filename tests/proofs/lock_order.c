// property: race
// advice: locks are taken in different orders: `one` at lock_order.c:27 by second while it holds `two`, `two` at lock_order.c:16 by first while it holds `one`
// Two locks in both orders keep what they protect from races. That they may lead to a deadlock is told, but is not what was asked.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER, third = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *first(void *arg)
{
    pthread_mutex_lock(&third);
    pthread_mutex_unlock(&third);
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&two);
    data++;
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&two);
#ifndef TWIN
    pthread_mutex_lock(&one);
#endif
#ifdef TWIN
    pthread_mutex_unlock(&two);
#endif
    data++;
#ifndef TWIN
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&two);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&a, 0, first, 0);
        pthread_create(&b, 0, second, 0);
    }
    return 0;
}
