// check: unsafe memory
// args: --engine explicit --reduction dpor --property memory,leak,race
// lazy: skip an engine of its own
// The end of the process looks at all memory, and what a thread would do at that moment is looked at for data races: it
// may be wrong by itself, in a run that has not ended.
#include <pthread.h>
#include <stdlib.h>

static pthread_t thread;
static int variable;

static void *give_back(void *argument)
{
    free(&variable); //~ violation
    return argument;
}

int main(void)
{
    pthread_create(&thread, 0, give_back, 0);
    return 0;
}
