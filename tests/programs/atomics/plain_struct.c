// check: unsafe assertion
// The same without atomicity: member by member.
#include <assert.h>
#include <pthread.h>

struct triple {
    long a, b, c;
};
struct triple shared;

void *writer(void *arg) {
    shared.a = 1;
    shared.b = 1;
    shared.c = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    long a = shared.a, c = shared.c;
    assert(a == c); //~ violation
    pthread_join(t, NULL);
    return 0;
}
