// check: unsafe assertion
// Time may pass.
#include <assert.h>
#include <sys/resource.h>

int main(void) {
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    getrusage(RUSAGE_SELF, &after);
    assert(after.ru_utime.tv_sec == before.ru_utime.tv_sec); //~ violation
    return 0;
}
