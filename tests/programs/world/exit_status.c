// check: unsafe exit
// args: --fail-on-exit
// headline auto explicit lazy tree: unsafe (exit at exit_status.c:18)
// headline auto explicit lazy tree --property exit: unsafe (exit at exit_status.c:18)
// headline auto explicit lazy tree --property assertion: unsafe (exit at exit_status.c:18)
// A test that fails says so with its status.
#include <pthread.h>
#include <stdlib.h>

int x;

static void *thread(void *arg) { x++; return arg; }

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    if (x == 0)
        exit(EXIT_FAILURE); //~ violation
    pthread_join(id, NULL);
    return 0;
}
