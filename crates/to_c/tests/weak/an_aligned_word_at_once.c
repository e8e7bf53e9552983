// wrong: never
// Nobody sees half of a word of the struct.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { _Alignas(8) int first; int second; int more[6]; } shared, other = { 1, 2, { 3 } };
int y, a;
struct pair b;

static void *thread_1(void *unused)
{
    shared = other;
    a = y;
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    b = shared;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert((b.first == 0) == (b.second == 0));
    return 0;
}
