// Records in an array have fields with different ranges. In the twin a field is also written as if it were an element of an array
// that begins in another one.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct record {
    short level;
    short limit;
    int seen;
};

static struct record records[100];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *keeper(void *unused) {
    for (;;) {
        struct record *record = &records[__VERIFIER_nondet_uint() % 100];
        unsigned drawn = __VERIFIER_nondet_uint();
        pthread_mutex_lock(&lock);
        record->level = drawn % 10;
        record->limit = 10 + drawn % 5;
        record->seen = 1000;
#ifdef TWIN
        ((short *)record)[drawn % 2] = 14;
#endif
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        assert(record->level >= 0 && record->level < 10 && record->limit <= 14);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, keeper, 0);
}
