// check: unsafe memory
// args: --engine lazy --unwind 1 --rounds 2
#include <pthread.h>
#include <stdlib.h>

char *shared;

void *release(void *arg) {
    char *p = shared;
    if (p) {
        shared = NULL;
        free(p); //~ violation
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    shared = malloc(4);
    pthread_create(&a, NULL, release, NULL);
    pthread_create(&b, NULL, release, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
