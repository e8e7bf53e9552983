// property: race
// The locks of an array protect the elements of another one. In the twin each protects two, and an element in between has two.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t locks[60];
static int counts[60];

static void *count(void *unused)
{
    unsigned i = __VERIFIER_nondet_uint() % 60;
    pthread_mutex_lock(&locks[i]);
    counts[i]++;
#ifdef TWIN
    counts[(i + 1) % 60]++;
#endif
    pthread_mutex_unlock(&locks[i]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 60; i++)
        pthread_mutex_init(&locks[i], 0);
    for (;;)
        pthread_create(&thread, 0, count, 0);
}
