// check: safe
// A public function that locks calls another that locks.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int balance = 10, log_entries;

static void record(void) {
    pthread_mutex_lock(&m);
    log_entries++;
    pthread_mutex_unlock(&m);
}

static void withdraw(int amount) {
    pthread_mutex_lock(&m);
    if (balance >= amount) {
        balance -= amount;
        record();
    }
    pthread_mutex_unlock(&m);
}

void *worker(void *arg) {
    withdraw(6);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    withdraw(6);
    pthread_join(t, NULL);
    assert(balance == 4 && log_entries == 1);
    pthread_mutex_destroy(&m);
    return 0;
}
