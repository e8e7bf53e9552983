// check: unsafe
// args: --keep-going
// headline explicit: unsafe (lock at keep_going.c:21; also memory at keep_going.c:22, assertion at keep_going.c:19)
// headline explicit --suppress memory@keep_going.c:22: unsafe (lock at keep_going.c:21; also assertion at keep_going.c:19)
// Each violation is at another place.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int x;
int *p;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) { x = 1; return arg; }

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    assert(x == 0);
    pthread_join(id, NULL);
    pthread_mutex_unlock(&m);
    *p = 1;
    return 0;
}
