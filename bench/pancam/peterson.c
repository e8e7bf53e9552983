// Peterson's algorithm as it was once published in C, with flags behind pointers. Without `volatile` (-DBROKEN) an
// optimising compiler reads them once, and both threads enter. Written after the description in the paper.
#include <assert.h>
#include <pthread.h>

#ifdef BROKEN
#define SHARED
#else
#define SHARED volatile
#endif

struct lock {
    SHARED int *own, *others;
    int me;
};

static SHARED int flags[2], last;
static int inside;

static void enter(struct lock *lock) {
    for (*lock->own = 1, last = lock->me; *lock->others == 1 && last == lock->me;)
        ;
}

static void leave(struct lock *lock) {
    *lock->own = 0;
}

static void *work(void *arg) {
    int me = arg != NULL;
    struct lock lock = {&flags[me], &flags[!me], me};
    for (;;) {
        enter(&lock);
        *(volatile int *)&inside += 1;
        assert(*(volatile int *)&inside == 1);
        *(volatile int *)&inside -= 1;
        leave(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, &inside);
    work(NULL);
    return 0;
}
