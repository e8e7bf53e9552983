// Many threads write elements of a long array, wherever they like; all of them stay in a range. The twin clears one byte of an
// element, which then holds something that nobody wrote.
#include <assert.h>
#include <pthread.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

enum { LENGTH = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int all[LENGTH];

static void *writer(void *unused) {
    for (;;) {
        unsigned place = __VERIFIER_nondet_uint() % LENGTH;
        pthread_mutex_lock(&lock);
#ifdef TWIN
        if (place == 3)
            memset(&all[place], 0, 1);
        else
#endif
        if (__VERIFIER_nondet_uint())
            all[place] = 0;
        else
            all[place] = -1;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *reader(void *unused) {
    for (;;) {
        unsigned place = __VERIFIER_nondet_uint() % LENGTH;
        pthread_mutex_lock(&lock);
        assert(all[place] >= -1 && all[place] <= 0);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, writer, 0);
        pthread_create(&thread, 0, reader, 0);
    }
}
