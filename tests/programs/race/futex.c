// check: safe
// args: --property race
// headline explicit prove: safe
// headline tree --unwind 4: safe within bounds (unwind 4 cut)
// headline explicit --cflags=-DRACE: unsafe (race at futex.c:35)
// headline tree --cflags=-DRACE: unsafe (race at futex.c:34)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at futex.c:34)
// headline lazy --cflags=-DRACE: unsafe (race at futex.c:34)
// A futex, beside an atomic flag or a plain one.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pthread.h>

static int data;
static int flag;

static void *first(void *argument)
{
    (void)argument;
    data = 1;
#ifdef RACE
    flag = 1;
#else
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
#endif
    syscall(SYS_futex, &flag, FUTEX_WAKE, 1, 0, 0, 0);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &flag, FUTEX_WAIT, 0, 0, 0, 0);
    data = 2;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
