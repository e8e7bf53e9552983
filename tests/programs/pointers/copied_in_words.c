// check: unsafe assertion
// args: --property assertion
// check -DSTRUCTS: unsafe assertion
// A pointer is copied word by word through a block that nobody reads otherwise, and then followed.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct job { int *result; int value; };
static int result;
static struct job queue[2], latest;
static void *first, *second;

static void *follows(void *arg) {
#ifdef STRUCTS
    queue[0].result = &result;
    queue[0].value = 1;
    queue[1] = queue[0];
    latest = queue[1];
    *latest.result = latest.value;
#else
    first = &result;
    memcpy(&second, &first, sizeof second);
    *(int *)second = 1;
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, follows, 0);
    pthread_join(thread, 0);
    assert(result == 0); //~ violation
    return 0;
}
