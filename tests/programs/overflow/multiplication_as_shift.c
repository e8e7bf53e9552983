// At -O1 the multiplication is a shift to the left that must not overflow.
// check: unsafe overflow
// args: --property overflow --opt O1
// headline explicit lazy tree swarm: unsafe (overflow at multiplication_as_shift.c:12)
#include <pthread.h>

volatile int number = 1 << 28, result;

static void *grow(void *arg)
{
    (void)arg;
    result = number * 8; //~ violation
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, grow, 0);
    pthread_join(thread, 0);
    return 0;
}
