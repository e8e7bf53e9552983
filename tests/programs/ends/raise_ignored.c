// check: unsafe assertion
// An ignored signal does nothing.
#include <signal.h>
#include <assert.h>
int main(void) { signal(SIGTERM, SIG_IGN); raise(SIGTERM); assert(0); }
