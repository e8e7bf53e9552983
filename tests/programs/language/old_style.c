// check: safe
// Definitions and declarations from before prototypes, and a start routine of another type.
#include <assert.h>
#include <pthread.h>

int add();

int add(a, b)
    int a;
    short b;
{
    return a + b;
}

int result;

void *worker() {
    result = add(3, 4);
    return 0;
}

void returns_nothing(int *p) {
    *p += 1;
}

int main() {
    pthread_t t;
    pthread_create(&t, 0, (void *(*)(void *))worker, 0);
    pthread_join(t, 0);
    assert(result == 7);
    pthread_create(&t, 0, (void *(*)(void *))returns_nothing, &result);
    pthread_join(t, 0);
    assert(result == 8);
    return 0;
}
