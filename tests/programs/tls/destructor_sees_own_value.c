// check: safe
// A destructor gets the thread's own value, after the thread's function and before the join returns;
// the key reads null by then.
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int order, values[2];

static void destroy(void *value) {
    assert(pthread_getspecific(key) == NULL);
    assert(order == 1);
    order = 2;
    *(int *)value = 1;
}

void *worker(void *arg) {
    pthread_setspecific(key, arg);
    order = 1;
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &values[0]);
    pthread_create(&t, NULL, worker, &values[1]);
    pthread_join(t, NULL);
    assert(order == 2 && values[0] == 0 && values[1] == 1);
    return 0;
}
