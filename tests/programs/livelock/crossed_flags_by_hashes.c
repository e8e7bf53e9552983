// check: unsafe deadlock
// args: --engine explicit --store compact
// lazy: skip loops without end
// Each of two threads waits for the other's flag before it sets its own: a search that keeps only hashes sees it, too.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready[2];

static void *meet(void *argument)
{
    int me = argument != 0;
    while (!ready[1 - me]) { //~ violation
    }
    ready[me] = 1;
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, meet, &other);
    meet(0);
    pthread_join(other, 0);
    return 0;
}
