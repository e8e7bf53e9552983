// check: unsafe deadlock
// lazy: skip loops without end
// A spin lock by compare and exchange, which one way out of the function does not give back.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock_word;
static int balance = 1;

static void lock(void)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak(&lock_word, &expected, 1)) //~ violation
        expected = 0;
}

static void *withdraw(void *argument)
{
    (void)argument;
    lock();
    if (balance == 0)
        return 0;
    balance--;
    lock_word = 0;
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, withdraw, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
