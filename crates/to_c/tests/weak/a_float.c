// wrong: tso pso
// The same bytes, read as another type.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union { float f; int i; } u;
int y, a, b, c;

static void *thread_1(void *unused)
{
    u.f = 1.0f;
    c = u.i;
    a = y;
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    b = u.i;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(c == 0x3f800000);
    assert(a == 1 || b != 0);
    return 0;
}
