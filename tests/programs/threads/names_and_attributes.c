// check: safe
// Names and attributes of threads are kept; affinity and priority change nothing.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static void *work(void *arg) {
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    assert(!strcmp(name, "") || !strcmp(name, "worker"));
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    size_t size;
    int state;
    cpu_set_t set;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    pthread_attr_getstacksize(&attr, &size);
    pthread_attr_getdetachstate(&attr, &state);
    assert(size == 65536 && state == PTHREAD_CREATE_JOINABLE);
    pthread_create(&t, &attr, work, NULL);
    pthread_attr_destroy(&attr);
    pthread_setname_np(t, "worker");
    assert(pthread_setname_np(t, "a name that is far too long") == ERANGE);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    pthread_setaffinity_np(t, sizeof set, &set);
    pthread_getaffinity_np(t, sizeof set, &set);
    assert(CPU_COUNT(&set) == 2);
    int processor = sched_getcpu();
    assert(processor == 0 || processor == 1);
    pthread_join(t, NULL);
    return 0;
}
