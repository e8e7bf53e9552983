// check: safe
// args: --property assertion
// headline lazy tree --memory-model tso: unsafe (assertion at lazy_lifetime.c:32)
// The store through p looks whether the object is there when it is made, and overtakes the store before it by that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x, *p, done, seen;

void *user(void *arg) {
    x = 1;
    *p = 5;
    done = 1;
    return 0;
}

void *owner(void *arg) {
    free(p);
    seen = x;
    return 0;
}

int main(void) {
    pthread_t q, r;
    p = malloc(sizeof *p);
    pthread_create(&q, 0, user, 0);
    pthread_create(&r, 0, owner, 0);
    pthread_join(q, 0);
    pthread_join(r, 0);
    assert(!done || seen); //~ violation
}
