// check: unsafe assertion
// check -DWITHIN: safe
// A number that is not aligned takes two steps if it lies across the border of a word, and one within.
#include <assert.h>
#include <pthread.h>

#ifdef WITHIN
enum { BEFORE = 3 };
#else
enum { BEFORE = 6 };
#endif

static struct __attribute__((packed)) {
    char before[BEFORE];
    int number;
} __attribute__((aligned(8))) shared;

static void *writer(void *arg) {
    shared.number = -1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen = shared.number;
    assert(seen == 0 || seen == -1); //~ violation
    pthread_join(thread, NULL);
    return 0;
}
