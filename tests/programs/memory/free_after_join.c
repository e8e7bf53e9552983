// check: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg) {
    *(int *)arg = 1;
    return NULL;
}

int main(void) {
    pthread_t t;
    int *p = malloc(sizeof *p);
    pthread_create(&t, NULL, worker, p);
    pthread_join(t, NULL);
    assert(*p == 1);
    free(p);
    return 0;
}
