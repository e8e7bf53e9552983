// check: safe
// args: --property assertion,memory,leak
// Each thread owns its argument, and frees it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
    int number;
    int *result;
};
int results[2];

void *worker(void *arg) {
    struct task *task = arg;
    *task->result = task->number * task->number;
    free(task);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        struct task *task = malloc(sizeof *task);
        task->number = i + 2;
        task->result = &results[i];
        pthread_create(&t[i], NULL, worker, task);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(results[0] == 4 && results[1] == 9);
    return 0;
}
