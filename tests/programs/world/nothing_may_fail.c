// check: safe
// assumption: threads can always be created (--may-fail create)
// assumption: there is always enough memory (--may-fail malloc)
// assumption: mutexes, condition variables, semaphores and their like can always be initialised (--may-fail init)
// headline auto explicit lazy tree --strict: safe
// What succeeds here, and need not elsewhere, is named.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t m;

static void *thread(void *arg) {
    pthread_mutex_lock(&m);
    ++*(int *)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    int *count = malloc(sizeof *count);
    *count = 0;
    pthread_mutex_init(&m, NULL);
    pthread_t id;
    pthread_create(&id, NULL, thread, count);
    pthread_join(id, NULL);
    assert(*count == 1);
    printf("%d\n", *count);
    free(count);
    return 0;
}
