// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at buffer_kept_in_a_queue.c:15)
// Each round's message is on the stack; the consumer may be late.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *message;
static int taken;

static void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    int *p = message;
    pthread_mutex_unlock(&m);
    if (p)
        taken = *p; //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    for (int i = 0; i < 2; i++) {
        int text = i;
        pthread_mutex_lock(&m);
        message = &text;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
