// check: unsafe abort
// The default action of SIGABRT is an abnormal end.
#include <signal.h>
int main(void) { raise(SIGABRT); }
