// At -O1 the multiplication is a shift to the left that must not overflow.
// check: safe
// args: --property overflow --opt O1
// headline explicit lazy tree: safe
#include <pthread.h>

volatile int number = 1 << 27, result;

static void *grow(void *arg)
{
    (void)arg;
    result = number * 8;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, grow, 0);
    pthread_join(thread, 0);
    return 0;
}
