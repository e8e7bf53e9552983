// check: safe
// check -DTWIN: unsafe assertion
// A function is called once before a struct is assigned, however many words that takes.
#include <assert.h>
#include <pthread.h>

struct four { long a, b, c, d; };
static struct four shared, other;
static int count;

static void step(void) { count++; }

static void *reads(void *arg) {
    long seen = shared.a;
    return seen ? arg : 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reads, 0);
    step();
    shared = other;
#ifdef TWIN
    step();
    other = shared;
#endif
    pthread_join(thread, 0);
    assert(count == 1); //~ violation
    return 0;
}
