// check: safe
#include <assert.h>
#include <threads.h>

mtx_t m;
cnd_t c;
once_flag once = ONCE_FLAG_INIT;
int ready;

void initialise(void) {
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
}

int producer(void *arg) {
    (void)arg;
    call_once(&once, initialise);
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    return 0;
}

int main(void) {
    thrd_t t;
    thrd_create(&t, producer, NULL);
    call_once(&once, initialise);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    thrd_join(t, NULL);
    assert(ready);
    return 0;
}
