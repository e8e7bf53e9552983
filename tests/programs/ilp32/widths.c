// check: safe
// args: -m32
// Pointers and long have 32 bits; so do the threads' objects change their sizes.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct mixed {
    char c;
    long l;
    void *p;
    long long ll;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long shared;

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    shared += (long)arg;
    pthread_mutex_unlock(&m);
    return (void *)(uintptr_t)0xFFFFFFFFu;
}

int main(void) {
    assert(sizeof(long) == 4 && sizeof(void *) == 4 && sizeof(size_t) == 4);
    assert(offsetof(struct mixed, p) == 8 && sizeof(struct mixed) == 20);
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, worker, (void *)5);
    worker((void *)6);
    pthread_join(t, &result);
    assert(shared == 11 && result == (void *)-1);
    assert((unsigned long)result + 1 == 0);
    return 0;
}
