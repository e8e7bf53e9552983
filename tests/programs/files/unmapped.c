// check: unsafe memory
// A thread uses memory that another one has unmapped.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *arg) {
    ((int *)arg)[1] = 3; //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    int *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_create(&t, NULL, work, p);
    munmap(p, 8192);
    pthread_join(t, NULL);
    return 0;
}
