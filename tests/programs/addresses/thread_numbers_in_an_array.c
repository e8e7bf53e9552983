// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
static void *work(void *arg) { return arg; }
static pthread_t ids[3];
int main(void) {
    pthread_create(&ids[1], 0, work, 0);
    pthread_join(ids[1], 0);
    pthread_create(&ids[2], 0, work, 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            assert(i == j || j == 0 || ids[i] != ids[j]); //~ violation
    pthread_join(ids[2], 0);
    return 0;
}
