// check: safe
// headline explicit lazy tree: safe
// Parameters that nobody passes may hold anything; a function without parameters ignores the argument.
#include <assert.h>
#include <pthread.h>

int ran;

void *many(void *arg, char c, long l, double d) {
    ran += *(int *)arg;
    return c == 3 ? NULL : arg;
}

void *none(void) {
    ran += 10;
    return NULL;
}

void nothing() {
    ran += 100;
}

int main(void) {
    pthread_t t;
    int x = 1;
    void *(*start)(void *) = (void *(*)(void *))many;
    pthread_create(&t, NULL, start, &x);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, (void *(*)(void *))none, &x);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, (void *(*)(void *))nothing, &x);
    pthread_join(t, NULL);
    assert(ran == 111);
    return 0;
}
