// check: safe
#include <assert.h>
#include <threads.h>

mtx_t m;
int counter;

int worker(void *arg) {
    mtx_lock(&m);
    counter += *(int *)arg;
    mtx_unlock(&m);
    return *(int *)arg;
}

int main(void) {
    thrd_t t[2];
    int numbers[2] = {3, 4}, sum = 0;
    mtx_init(&m, mtx_plain);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&t[i], worker, &numbers[i]) == thrd_success);
    for (int i = 0; i < 2; i++) {
        int r;
        assert(thrd_join(t[i], &r) == thrd_success);
        sum += r;
    }
    assert(counter == 7 && sum == 7);
    mtx_destroy(&m);
    return 0;
}
