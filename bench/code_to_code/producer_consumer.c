// Two producers add items under a lock; two consumers take one each, without it.
// With one item left both consumers see it, and the second one takes what is not there.
//
// producer_consumer_by_hand.c is the same program, sequentialized by hand.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void *producer(void *arg) {
    int todo = *(int *)arg;
    pthread_mutex_lock(&lock);
    int now = items;
    if (now > 0)
        items = now + 1;
    else {
        items = 0;
        while (todo > 0) {
            now = items;
            items = now + 1;
            todo--;
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consumer(void *arg) {
    (void)arg;
    int seen = items;
    __VERIFIER_assume(seen > 0);
    int now = items;
    items = now - 1;
    now = items;
    assert(now >= 0);
    return NULL;
}

int main(void) {
    static int one = 1, two = 2;
    pthread_t first, second, third, fourth;
    pthread_create(&first, NULL, producer, &one);
    pthread_create(&second, NULL, producer, &two);
    pthread_create(&third, NULL, consumer, NULL);
    pthread_create(&fourth, NULL, consumer, NULL);
    return 0;
}
