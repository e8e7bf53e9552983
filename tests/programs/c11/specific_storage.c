// check: safe
#include <assert.h>
#include <threads.h>

tss_t key;
int destroyed;
thread_local int own = 1;

void destroy(void *p) {
    destroyed += *(int *)p;
}

int worker(void *arg) {
    assert(tss_get(key) == NULL);
    tss_set(key, arg);
    own++;
    assert(own == 2);
    return 0;
}

int main(void) {
    thrd_t t;
    int five = 5;
    tss_create(&key, destroy);
    thrd_create(&t, worker, &five);
    thrd_join(t, NULL);
    assert(destroyed == 5 && own == 1);
    tss_delete(key);
    return 0;
}
