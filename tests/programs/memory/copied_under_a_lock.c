// A copy of what others write is what was there when it was made, also if they go on before it is looked at.
// check: safe
// headline explicit lazy tree: safe
// headline lazy --unwind 1 --rounds 2: safe
// headline cbmc --unwind 1 --rounds 2: safe within bounds (unwind 1 complete, rounds 2)
#include <assert.h>
#include <pthread.h>

struct pair {
    int *which;
    int number;
};

int one = 1, two = 2, between;
struct pair shared = {&one, 1};
_Thread_local struct pair mine;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    shared.which = &two;
    shared.number = 2;
    pthread_mutex_unlock(&lock);
    between = 1;
    pthread_mutex_lock(&lock);
    shared.which = 0;
    shared.number = 3;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_mutex_lock(&lock);
    struct pair own = mine = shared;
    int number = shared.number;
    pthread_mutex_unlock(&lock);
    int seen = between;
    assert(own.number == number && mine.number == number);
    assert(own.which ? *own.which == number : number == 3);
    assert(seen || number != 3 || between);
    return 0;
}
