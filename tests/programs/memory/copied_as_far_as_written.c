// How much is copied is up to another thread, and so is what is left of the target.
// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at copied_as_far_as_written.c:39)
// headline lazy --unwind 1 --rounds 2: unsafe (assertion at copied_as_far_as_written.c:39)
#include <assert.h>
#include <pthread.h>
#include <string.h>

unsigned char shared[4];
unsigned length;
int between;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    memset(shared, 1, 4);
    length = 2;
    pthread_mutex_unlock(&lock);
    between = 1;
    pthread_mutex_lock(&lock);
    memset(shared, 2, 4);
    length = 4;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned char own[4] = {9, 9, 9, 9};
    pthread_create(&t, 0, writer, 0);
    pthread_mutex_lock(&lock);
    unsigned copied = length;
    memcpy(own, shared, copied);
    pthread_mutex_unlock(&lock);
    int seen = between;
    assert(copied != 0 || own[0] == 9);
    assert(copied != 2 || (own[0] == 1 && own[1] == 1 && own[2] == 9));
    assert(copied != 4 || own[3] == 2);
    assert(own[2] != 9 || seen != 1); //~ violation
    return 0;
}
