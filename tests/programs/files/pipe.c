// check: safe
// Bytes come out of a pipe as they went in; its end is seen when all writers are gone.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *producer(void *arg) {
    assert(write(ends[1], "ab", 2) == 2);
    close(ends[1]);
    return NULL;
}

int main(void) {
    pthread_t t;
    char bytes[2];
    assert(pipe(ends) == 0);
    pthread_create(&t, NULL, producer, NULL);
    assert(read(ends[0], bytes, 2) == 2);
    assert(bytes[0] == 'a' && bytes[1] == 'b');
    assert(read(ends[0], bytes, 2) == 0);
    pthread_join(t, NULL);
    assert(close(ends[0]) == 0 && close(ends[0]) == -1);
    return 0;
}
