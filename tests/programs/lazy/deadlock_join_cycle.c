// check: unsafe deadlock
// args: --engine lazy --unwind 1 --rounds 2
#include <pthread.h>

pthread_t first;

void *waits_for_first(void *arg) {
    pthread_join(first, NULL); //~ violation
    return arg;
}

void *waits_for_second(void *arg) {
    pthread_t second;
    pthread_create(&second, NULL, waits_for_first, NULL);
    pthread_join(second, NULL); //~ violation
    return arg;
}

int main(void) {
    pthread_create(&first, NULL, waits_for_second, NULL);
    pthread_exit(NULL);
}
