// check: safe
// Descriptions of errors fit into their buffers; the last part of a path is in the path.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

void *describe(void *argument) {
    char buffer[4];
    const char *text = strerror_r(ENOENT, buffer, sizeof buffer);
    assert(strlen(text) < 100);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, describe, NULL);
    describe(NULL);
    pthread_join(thread, NULL);
    assert(strcmp(basename("/usr/lib"), "lib") == 0 && *basename("lib/") == 0);
    return 0;
}
