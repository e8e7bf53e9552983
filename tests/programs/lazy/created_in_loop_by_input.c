// check: unsafe assertion
// args: --engine lazy --unwind 3 --rounds 2
#include <assert.h>
#include <pthread.h>

int input(void);
int count;

void *worker(void *arg) {
    count++;
    return arg;
}

int main(void) {
    pthread_t t[3];
    int n = input();
    if (n < 0 || n > 3)
        return 0;
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    assert(count >= n); //~ violation
    return 0;
}
