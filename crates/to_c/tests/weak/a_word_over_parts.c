// wrong: never
// Stores that share a byte keep their order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union { unsigned char bytes[4]; unsigned word; } u;
unsigned a, b;

static void *thread_1(void *unused)
{
    u.bytes[1] = 1;
    u.word = 0x02020202;
    return unused;
}

static void *thread_2(void *unused)
{
    a = u.bytes[1];
    b = u.bytes[1];
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a != 2 || b == 2);
    return 0;
}
