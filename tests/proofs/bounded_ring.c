// One puts in, one takes out: never more than there is room for.
// The twin: there may be one too many.
#include <assert.h>
#include <pthread.h>

static unsigned in, out;
static void *producer(void *arg) {
    for (;;) {
#ifdef TWIN
        if (in - out <= 8) in++;
#else
        if (in - out < 8) in++;
#endif
        assert(in - out <= 8);
    }
}
static void *consumer(void *arg) {
    for (;;) if (in != out) out++;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    producer(0);
}
