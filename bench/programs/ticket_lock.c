// A ticket lock for three threads, each entering twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define ROUNDS 2

static atomic_uint next_ticket, now_serving;
static int inside;

static void *enter(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        unsigned mine = atomic_fetch_add(&next_ticket, 1);
        while (now_serving != mine)
            ;
        inside++;
        assert(inside == 1);
        inside--;
        now_serving = mine + 1;
    }
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
