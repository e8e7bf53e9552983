// wrong: tso pso
// The assignment of a struct is one store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { int first; int second; int more[6]; } shared, other = { 1, 2, { 3 } };
int y, a, b, c;

static void *thread_1(void *unused)
{
    shared = other;
    a = y;
    c = shared.second;
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    b = shared.first;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(c == 2);
    assert(a == 1 || b == 1);
    return 0;
}
