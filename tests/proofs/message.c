// A message is there before the flag says so.
// The twin: the flag comes first.
#include <assert.h>
#include <pthread.h>

static int data, ready;
static void *reader(void *arg) {
    if (ready) assert(data == 42);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
#ifdef TWIN
    ready = 1;
    data = 42;
#else
    data = 42;
    ready = 1;
#endif
    for (;;) pthread_create(&t, 0, reader, 0);
}
