// check: unsafe assertion
// All threads get the address of the one loop variable.
#include <assert.h>
#include <pthread.h>

enum { N = 2 };
int done[N + 1];

void *worker(void *arg) {
    done[*(int *)arg] = 1;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int i;
    for (i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, &i);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    assert(done[0] && done[1]); //~ violation
    return 0;
}
