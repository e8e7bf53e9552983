// What main writes before it creates threads stays.
// The twin: it is written after the first was created.
#include <assert.h>
#include <pthread.h>

static int limit;
static void *thread(void *arg) {
    assert(limit == 5);
    return 0;
}
int main(void) {
    pthread_t t;
#ifdef TWIN
    pthread_create(&t, 0, thread, 0);
#endif
    limit = 5;
    for (;;) pthread_create(&t, 0, thread, 0);
}
