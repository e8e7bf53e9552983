// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <threads.h>

int balance = 10;
mtx_t m;

int withdraw(void *arg) {
    (void)arg;
    mtx_lock(&m);
    int enough = balance >= 6;
    mtx_unlock(&m);
    mtx_lock(&m);
    if (enough)
        balance -= 6;
    mtx_unlock(&m);
    return enough;
}

int main(void) {
    thrd_t a, b;
    int x, y;
    mtx_init(&m, mtx_plain);
    thrd_create(&a, withdraw, NULL);
    thrd_create(&b, withdraw, NULL);
    thrd_join(a, &x);
    thrd_join(b, &y);
    assert(balance >= 0); //~ violation
    return 0;
}
