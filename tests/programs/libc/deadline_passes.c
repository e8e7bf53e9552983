// check: unsafe assertion
// A deadline may pass.
#include <time.h>
#include <assert.h>
int main(void) { time_t end = time(0) + 5; int n = 0; while (time(0) < end && n < 3) n++; assert(n == 3); }
