// check: unsafe assertion
// Time may pass between two readings.
#include <time.h>
#include <assert.h>
int main(void) { struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); clock_gettime(CLOCK_MONOTONIC, &b); assert(b.tv_sec == a.tv_sec); }
