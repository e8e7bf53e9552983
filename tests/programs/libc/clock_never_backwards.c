// check: safe
// No clock goes backwards.
#include <time.h>
#include <assert.h>
int main(void) { struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); clock_gettime(CLOCK_MONOTONIC, &b); assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec)); assert(b.tv_nsec >= 0 && b.tv_nsec < 1000000000); time_t t = time(0), u = time(0); assert(u >= t); }
