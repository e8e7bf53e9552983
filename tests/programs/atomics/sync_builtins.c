// check: safe
#include <assert.h>
#include <pthread.h>

int counter, lock;

void *worker(void *arg) {
    __sync_fetch_and_add(&counter, 1);
    while (__sync_lock_test_and_set(&lock, 1))
        ;
    counter += 2;
    __sync_synchronize();
    __sync_lock_release(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    assert(__sync_add_and_fetch(&counter, 3) == 3);
    assert(__sync_bool_compare_and_swap(&counter, 3, 0));
    assert(__sync_val_compare_and_swap(&counter, 1, 9) == 0);
    assert(__sync_or_and_fetch(&counter, 6) == 6 && __sync_fetch_and_and(&counter, 0) == 6);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    worker(NULL);
    assert(counter == 6);
    return 0;
}
