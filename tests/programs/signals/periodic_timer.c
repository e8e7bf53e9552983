// check: safe
// Each tick is handled to its end before the next one comes.
// check -DCOUNTED: unsafe assertion
// A periodic timer expires more than once.
#include <assert.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks, inside, work;

static void tick(int number)
{
    assert(!inside);
    inside = 1;
    ticks++;
    inside = 0;
}

int main(void)
{
    struct itimerval period = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &period, 0);
    work = 1;
    work = 2;
#ifdef COUNTED
    assert(ticks < 2); //~ violation
#endif
    setitimer(ITIMER_REAL, &never, 0);
    int before = ticks;
    assert(ticks == before);
    return 0;
}
