// check: unsafe abort
// headline auto explicit lazy tree swarm: unsafe (abort at abort_always.c:12)
// headline auto explicit --property assertion: safe
// Many projects' tests end with abort() where others have assert().
#include <pthread.h>
#include <stdlib.h>

int x;

static void *thread(void *arg) {
    if (x != 1)
        abort(); //~ violation
    return arg;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    x = 1;
    pthread_join(id, NULL);
    return 0;
}
