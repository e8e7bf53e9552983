// check: unsafe memory
// headline explicit lazy tree cbmc swarm: unsafe (memory at small_handle.c:15)
// A handle of the program's own type is too small for what is stored in it.
#include <assert.h>

typedef int handle;
int pthread_create(handle *, void *, void *(*)(void *), void *);
handle h;

void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_create(&h, 0, worker, 0); //~ violation
    assert(1);
    return 0;
}
