// check: safe
// args: --engine lazy
#include <assert.h>
#include <threads.h>

int input(void);

int twice(void *arg) {
    return *(int *)arg * 2;
}

int main(void) {
    thrd_t t;
    int x = input(), y;
    if (x < 0 || x > 1000)
        return 0;
    thrd_create(&t, twice, &x);
    thrd_join(t, &y);
    assert(y == x + x);
    return 0;
}
