// check: unsafe assertion
// check -DVLA: unsafe assertion
// check -DALLOCA: unsafe assertion
// A function makes a stack object on one of its paths only, and the run takes the other.
#include <alloca.h>
#include <assert.h>
#include <pthread.h>

struct four { int a, b, c; signed char d[1]; };
static int skip;
static struct four shared;

static int function(int value) {
    if (!skip) {
#ifdef VLA
        char bytes[shared.a + 2];
        bytes[0] = shared.d[0];
        shared.b = bytes[0];
#elif defined ALLOCA
        char *bytes = alloca(shared.a + 2);
        bytes[0] = shared.d[0];
        shared.b = bytes[0];
#else
        shared = shared;
#endif
    }
    return value;
}

static void *sets(void *arg) {
    skip = 1;
    return arg;
}

static void *writes(void *arg) {
    shared.d[0] = 0;
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sets, 0);
    pthread_join(one, 0);
    int value = function(0);
    pthread_create(&two, 0, writes, 0);
    pthread_join(two, 0);
    assert(value + skip + shared.a == 7); //~ violation
    return 0;
}
