// check: safe
// args: --aggregate-steps whole
// headline explicit --memory-model tso: unsafe (assertion at struct_copy.c:33)
// headline explicit --memory-model pso: unsafe (assertion at struct_copy.c:33)
// A struct that is assigned arrives as one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    int first, second;
} p, q = {1, 1}, seen;
int y, a;

void *thread1(void *arg) {
    p = q;
    a = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    seen = p;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(seen.first == seen.second && (a == 1 || seen.first == 1));
    return 0;
}
