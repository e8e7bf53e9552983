// check: safe
// An arena for each thread, mapped, and unmapped by a destructor.
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct arena {
    char *base;
    size_t used, size;
};
static __thread struct arena A;
static pthread_key_t key;
static void drop(void *p) {
    struct arena *a = p;
    munmap(a->base, a->size);
}
static void *aalloc(size_t n) {
    if (!A.base) {
        A.size = (size_t)sysconf(_SC_PAGESIZE);
        A.base = mmap(NULL, A.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (A.base == MAP_FAILED) {
            perror("mmap");
            assert(0);
        }
        pthread_setspecific(key, &A);
    }
    n = (n + 15) & ~(size_t)15;
    if (A.used + n > A.size)
        return NULL;
    void *p = A.base + A.used;
    A.used += n;
    return p;
}
static void *w(void *arg) {
    unsigned seed = (unsigned)(uintptr_t)arg;
    size_t n = 1 + rand_r(&seed) % 3;
    int *v = aalloc(n * sizeof *v);
    if (!v)
        return NULL;
    for (size_t i = 0; i < n; i++)
        v[i] = (int)i;
    double m = sqrt((double)n);
    return (void *)(uintptr_t)(m >= 1 && v[n - 1] == (int)n - 1);
}
int main(void) {
    pthread_key_create(&key, drop);
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, w, (void *)i);
    for (int i = 0; i < 2; i++) {
        void *r;
        pthread_join(t[i], &r);
        if (!r) {
            fprintf(stderr, "bad\n");
            return 1;
        }
    }
    pthread_key_delete(key);
    return 0;
}
