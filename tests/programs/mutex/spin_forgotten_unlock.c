// check: unsafe deadlock
#include <pthread.h>

pthread_spinlock_t lock;

void *worker(void *arg) {
    (void)arg;
    pthread_spin_lock(&lock); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, worker, NULL);
    pthread_spin_lock(&lock); //~ violation
    pthread_join(t, NULL); //~ violation
    return 0;
}
