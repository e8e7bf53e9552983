// Two functions call one another, through pointers, and both count under a lock up to a limit. The twin looks at the limit before
// it has the lock.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

typedef int (*step)(unsigned);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned count;
static int even(unsigned n);
static int odd(unsigned n);
static step steps[2] = {even, odd};

static void add(void) {
#ifdef TWIN
    if (count >= 20)
        return;
    pthread_mutex_lock(&lock);
    count++;
#else
    pthread_mutex_lock(&lock);
    if (count < 20)
        count++;
#endif
    assert(count <= 20);
    pthread_mutex_unlock(&lock);
}

static int even(unsigned n) {
    add();
    return n == 0 ? 1 : steps[1](n - 1);
}

static int odd(unsigned n) {
    add();
    return n == 0 ? 0 : steps[0](n - 1);
}

static void *asks(void *unused) {
    int answer = even(__VERIFIER_nondet_uint());
    assert(answer == 0 || answer == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, asks, 0);
}
