// check: unsafe deadlock
// The reader waits for the end of the pipe, whose other end nobody closes.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *producer(void *arg) {
    write(ends[1], "ab", 2);
    return NULL;
}

int main(void) {
    pthread_t t;
    char byte;
    pipe(ends);
    pthread_create(&t, NULL, producer, NULL);
    while (read(ends[0], &byte, 1) > 0) //~ violation
        ;
    pthread_join(t, NULL);
    return 0;
}
