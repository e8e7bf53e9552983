// wrong: tso pso
// A load of a word finds one byte in the own buffer, the others in memory.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union { unsigned char bytes[4]; unsigned word; } u;
unsigned a, b;

static void *thread_1(void *unused)
{
    u.bytes[0] = 1;
    a = u.word;
    return unused;
}

static void *thread_2(void *unused)
{
    u.bytes[2] = 1;
    b = u.word;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 0x10001 || b == 0x10001);
    return 0;
}
