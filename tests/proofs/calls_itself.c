// A function that calls itself takes a lock each time, and gives it back; what it protects is whole whenever the lock is free. The
// twin returns without giving it back where it is called in a certain way.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left, right;

static int visit(int depth) {
    if (depth <= 0)
        return 0;
    int below = visit(depth - 1);
    pthread_mutex_lock(&lock);
    left++;
    right++;
    assert(left == right);
#ifdef TWIN
    if (depth == 2)
        left--;
#endif
    pthread_mutex_unlock(&lock);
    return below < 100 ? below + 1 : visit(depth - 2);
}

static void *walker(void *unused) {
    int depth = __VERIFIER_nondet_int();
    visit(depth);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, walker, 0);
}
