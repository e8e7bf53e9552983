// wrong: tso pso
// The thread finds its own store, whatever the index.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int cells[4], y, a, b, c, d;

static void *thread_1(void *unused)
{
    int where = y ? 1 : 2, other = y ? 1 : 2;
    cells[where] = 1;
    c = cells[where];
    d = cells[3];
    a = y;
    (void)other;
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    b = cells[1] + cells[2];
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(c == 1 && d == 0);
    assert(a == 1 || b == 1);
    return 0;
}
