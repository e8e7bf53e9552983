// check: safe
// args: --property assertion,deadlock
// check -DWRAPPED: safe
// check -DTWIN: unsafe assertion
// A struct that is assigned in an atomic section is assigned at once, also if functions enter and leave the section.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

struct three { int a, b, c; };
static struct three shared;

#ifdef WRAPPED
static void enter(void) { __VERIFIER_atomic_begin(); }
static void leave(void) { __VERIFIER_atomic_end(); }
#elif defined TWIN
static void enter(void) { }
static void leave(void) { }
#else
#define enter __VERIFIER_atomic_begin
#define leave __VERIFIER_atomic_end
#endif

static void *sets(void *arg) {
    struct three own = { 1, 1, 1 };
    enter();
    shared = own;
    leave();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sets, 0);
    enter();
    struct three seen = shared;
    leave();
    assert(seen.a == seen.c); //~ violation
    pthread_join(thread, 0);
    return 0;
}
