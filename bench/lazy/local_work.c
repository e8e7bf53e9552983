// Two threads that compute for long on variables of their own, and only now and then publish the outcome.
// The input keeps the computation from being folded, the assertion keeps it from being sliced away.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2
#define PHASES 3
#define STEPS 100
#define WORDS 8

extern unsigned __VERIFIER_nondet_uint(void);

static _Atomic unsigned char latest;
static unsigned char results[THREADS];

// An xorshift generator whose numbers go round a table.
static unsigned digest(unsigned x, unsigned *table) {
    for (int i = 0; i < STEPS; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        table[i % WORDS] ^= x + i;
        x ^= table[(i + 3) % WORDS];
    }
    return x;
}

static void *work(void *arg) {
    unsigned char *result = arg;
    unsigned table[WORDS] = {0};
    unsigned x = __VERIFIER_nondet_uint();
    for (int i = 0; i < PHASES; i++) {
        x = digest(x, table);
        latest = x >> 24;
    }
    *result = x >> 24;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &results[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(latest == results[0] || latest == results[1]);
    return 0;
}
