// wrong: tso pso
// memset is one store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

int cells[8], y, a, b, c;

static void *thread_1(void *unused)
{
    memset(cells, 1, sizeof cells);
    a = y;
    c = cells[3];
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    b = cells[7];
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(c == 0x01010101);
    assert(a == 1 || b != 0);
    return 0;
}
