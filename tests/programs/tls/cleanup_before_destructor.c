// check: safe
// A thread that ends runs its cleanup handlers first, then the destructors of its keys.
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int step;

static void clean_up(void *arg) {
    (void)arg;
    assert(step++ == 0);
    assert(pthread_getspecific(key) != NULL);
}

static void destroy(void *value) {
    (void)value;
    assert(step++ == 1);
}

void *worker(void *arg) {
    pthread_setspecific(key, arg);
    pthread_cleanup_push(clean_up, NULL);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t t;
    int x;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, &x);
    pthread_join(t, NULL);
    assert(step == 2);
    return 0;
}
