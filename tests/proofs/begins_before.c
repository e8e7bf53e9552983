// An index is used with a pointer to before the array. What it leads to in the array is changed to what it was.
// The twin: it is changed.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int array[8];
#ifdef TWIN
enum { NEW = 1 };
#else
enum { NEW = 0 };
#endif

static void *thread(void *arg) {
    int(*before)[8] = (int(*)[8])((char *)array - 8);
    unsigned long i = __VERIFIER_nondet_int();
    if (i < 8 && i >= 2) {
        pthread_mutex_lock(&m);
        (*before)[i] = NEW;
        assert(array[0] == 0);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}
