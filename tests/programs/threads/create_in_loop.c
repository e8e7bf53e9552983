// check: safe
#include <assert.h>
#include <pthread.h>

enum { N = 4 };
int done[N];

void *worker(void *arg) {
    *(int *)arg = 1;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, &done[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        assert(done[i]);
    return 0;
}
