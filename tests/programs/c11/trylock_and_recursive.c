// check: safe
#include <assert.h>
#include <threads.h>

mtx_t plain, recursive;

int other(void *arg) {
    (void)arg;
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_trylock(&recursive) == thrd_busy);
    thrd_exit(-3);
}

int main(void) {
    thrd_t t;
    int r;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_lock(&plain);
    mtx_lock(&recursive);
    assert(mtx_trylock(&recursive) == thrd_success);
    thrd_create(&t, other, NULL);
    thrd_join(t, &r);
    assert(r == -3);
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    mtx_unlock(&plain);
    return 0;
}
