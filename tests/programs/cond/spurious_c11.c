// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at spurious_c11.c:25)
// C11's waits return without a signal, too.
#include <assert.h>
#include <threads.h>

mtx_t m;
cnd_t c;
int ready;

int producer(void *arg) {
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, producer, NULL);
    mtx_lock(&m);
    if (!ready) cnd_wait(&c, &m), assert(ready); //~ violation
    mtx_unlock(&m);
    thrd_join(t, NULL);
    return 0;
}
