// check: safe
// What the process has used and may use.
#include <assert.h>
#include <sys/resource.h>
#include <sys/times.h>

int main(void) {
    struct rusage before, after;
    struct rlimit limit;
    struct tms used;
    assert(getrusage(RUSAGE_SELF, &before) == 0);
    assert(getrusage(RUSAGE_SELF, &after) == 0);
    assert(after.ru_utime.tv_sec >= before.ru_utime.tv_sec && after.ru_maxrss >= 0);
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= limit.rlim_max);
    assert(times(&used) >= 0);
    return 0;
}
