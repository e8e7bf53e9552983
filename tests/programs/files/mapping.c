// check: safe
// assumption: pages stay readable and writable whatever mprotect says
// assumption: threads can always be created (--may-fail create)
// assumption: there is always enough memory (--may-fail malloc)
// Anonymous memory is zero and shared by threads.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *arg) {
    ((int *)arg)[1] = 3;
    return NULL;
}

int main(void) {
    pthread_t t;
    int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 1;
    assert(p[0] == 0 && p[1023] == 0);
    pthread_create(&t, NULL, work, p);
    pthread_join(t, NULL);
    assert(p[1] == 3 && mprotect(p, 4096, PROT_READ) == 0);
    assert(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    munmap(p, 4096);
    return 0;
}
