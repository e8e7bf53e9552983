// check: safe
// lazy: skip the formulas of many bytes and descriptors are large
// writev and readv: several pieces at once, in order.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    struct iovec pieces[2] = {{"ab", 2}, {"cde", 3}};
    assert(writev(ends[1], pieces, 2) == 5);
    return NULL;
}

int main(void) {
    pthread_t t;
    char first[4], second[4];
    struct iovec pieces[2] = {{first, 4}, {second, 4}};
    pipe(ends);
    pthread_create(&t, NULL, writer, NULL);
    assert(readv(ends[0], pieces, 2) == 5);
    assert(!memcmp(first, "abcd", 4) && second[0] == 'e');
    pthread_join(t, NULL);
    return 0;
}
