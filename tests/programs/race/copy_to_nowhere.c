// check: safe
// args: --property race
// check -DSOMEWHERE: unsafe race
// A copy to nowhere is a misuse, at which the run ends: it reads nothing that could race.
#include <pthread.h>
#include <string.h>
static int shared;
#ifdef SOMEWHERE
static char somewhere, *target = &somewhere;
#else
static char *target;
#endif
static void *copies(void *arg) {
    memcpy(target, &shared, 1); //~ violation
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, copies, 0);
    shared = 1;
    return 0;
}
