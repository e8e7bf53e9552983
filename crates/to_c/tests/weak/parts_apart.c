// wrong: pso
// Bytes of one word are locations of their own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union { unsigned char bytes[4]; unsigned word; } u;
unsigned a;

static void *thread_1(void *unused)
{
    u.bytes[0] = 1;
    u.bytes[1] = 1;
    return unused;
}

static void *thread_2(void *unused)
{
    a = u.word;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a != 0x100);
    return 0;
}
