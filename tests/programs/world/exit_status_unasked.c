// check: safe
// headline auto explicit lazy tree: safe
// headline auto explicit lazy tree swarm --fail-on-exit: unsafe (exit at exit_status_unasked.c:20)
// headline auto explicit lazy tree --property assertion,exit: unsafe (exit at exit_status_unasked.c:20)
// main's return is an exit; its status is nobody's business unless somebody asks.
#include <pthread.h>

int x;

static void *thread(void *arg) {
    x = x + 1;
    return arg;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    x = x + 1;
    pthread_join(id, NULL);
    return x != 2; //~ violation
}
