// What is read from a pipe is what was written, however the bytes come.
// check: safe
// headline explicit: safe
// headline lazy --unwind 2 --rounds 2: safe within bounds (unwind 2 cut, rounds 2)
// headline tree --unwind 2: safe within bounds (unwind 2 cut)
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int ends[2];

void *writer(void *arg) {
    write(ends[1], "ab", 2);
    write(ends[1], "c", 1);
    close(ends[1]);
    return arg;
}

int main(void) {
    pthread_t t;
    char bytes[4];
    long got, all = 0;
    pipe(ends);
    pthread_create(&t, 0, writer, 0);
    while ((got = read(ends[0], bytes, 4)) > 0)
        for (all += got; got; got--)
            assert(bytes[got - 1] >= 'a');
    assert(all == 3);
    return 0;
}
