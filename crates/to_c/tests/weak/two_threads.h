/* A program of two threads, which are created and then joined. */
#ifndef TWO_THREADS_H
#define TWO_THREADS_H
#include <pthread.h>

void *thread_1(void *unused);
void *thread_2(void *unused);

static void run_both(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}

#endif
