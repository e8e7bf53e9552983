// check: safe
// headline auto explicit: safe (warning: no thread was created: no run got to pthread_create at assumption_first.c:15)
// Every run ends at an assumption before there is a thread.
#include <pthread.h>

extern void __VERIFIER_assume(int);

int x;

static void *thread(void *arg) { x++; return arg; }

int main(void) {
    pthread_t id;
    __VERIFIER_assume(x == 1);
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    return 0;
}
