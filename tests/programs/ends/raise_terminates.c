// check: safe
// The default action of SIGTERM ends the process.
#include <signal.h>
#include <assert.h>
int main(void) { raise(SIGTERM); assert(0); }
