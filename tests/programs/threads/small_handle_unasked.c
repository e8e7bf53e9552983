// check: safe
// args: --property assertion
// Memory is not asked about: the run ends where the handle is stored, in every engine. The thread may run before that.
#include <assert.h>

typedef int handle;
int pthread_create(handle *, void *, void *(*)(void *), void *);
handle h;

void *worker(void *arg) {
    assert(!h);
    return arg;
}

int __VERIFIER_nondet_int(void);

int main(void) {
    if (__VERIFIER_nondet_int() == 3)
        return 0;
    assert(!h);
    pthread_create(&h, 0, worker, 0);
    assert(0);
    return 0;
}
