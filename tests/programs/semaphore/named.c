// check: safe
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

int data;

void *producer(void *arg) {
    (void)arg;
    sem_t *s = sem_open("/gate", 0);
    assert(s != SEM_FAILED);
    data = 1;
    sem_post(s);
    sem_close(s);
    return NULL;
}

int main(void) {
    pthread_t t;
    sem_t *s = sem_open("/gate", O_CREAT, 0600, 0);
    assert(sem_open("/other", 0) == SEM_FAILED && errno == ENOENT);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(s);
    assert(data == 1);
    pthread_join(t, NULL);
    sem_close(s);
    sem_unlink("/gate");
    return 0;
}
