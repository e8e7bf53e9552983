// Everybody has a variable of their own.
// The twin: it is one for all.
#include <assert.h>
#include <pthread.h>

#ifdef TWIN
static int mine;
#else
static _Thread_local int mine;
#endif
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    int value = __VERIFIER_nondet_int();
    mine = value;
    assert(mine == value);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
