// check: safe
// Bytes come out of a pipe as they went in; its end is seen when all writers are gone.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *producer(void *arg) {
    assert(write(ends[1], "ab", 2) == 2);
    assert(write(ends[1], "c", 1) == 1);
    close(ends[1]);
    return NULL;
}

int main(void) {
    pthread_t t;
    char bytes[4], expected = 'a';
    assert(pipe(ends) == 0);
    pthread_create(&t, NULL, producer, NULL);
    long got, all = 0;
    while ((got = read(ends[0], bytes, sizeof bytes)) > 0)
        for (all += got; got; got--)
            assert(bytes[got - 1] >= expected);
    assert(got == 0 && all == 3 && expected == 'a');
    pthread_join(t, NULL);
    assert(close(ends[0]) == 0 && close(ends[0]) == -1);
    return 0;
}
