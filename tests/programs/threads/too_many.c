// check: unknown
// args: --engine explicit
// lazy: skip threads without end
// Threads that are never joined keep their places.
#include <pthread.h>

static void *nothing(void *argument)
{
    return argument;
}

static void *create(void *argument)
{
    (void)argument;
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, nothing, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t creator;
    pthread_create(&creator, 0, create, 0);
    pthread_join(creator, 0);
    return 0;
}
