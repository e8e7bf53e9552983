// check: safe
// A destructor that sets a value again is called again, four times in all.
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int calls;

void destroy(void *p) {
    calls++;
    pthread_setspecific(key, p);
}

void *worker(void *arg) {
    pthread_setspecific(key, arg);
    return NULL;
}

int main(void) {
    pthread_t t;
    int x;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, &x);
    pthread_join(t, NULL);
    assert(calls == 4);
    return 0;
}
