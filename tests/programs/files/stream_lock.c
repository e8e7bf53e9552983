// check: safe
// The lock of a stream keeps other threads out, and may be taken again by who has it.
// check -DUNLOCKED: unsafe assertion
// check -DKEPT: unsafe deadlock
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int lines;

static void print_line(const char *text) {
    flockfile(stdout);
    fputs(text, stdout);
    lines++;
    funlockfile(stdout);
}

static void *work(void *text) {
#ifndef UNLOCKED
    flockfile(stdout);
#endif
    int before = lines;
    print_line(text);
    assert(lines == before + 1);
#if !defined UNLOCKED && !defined KEPT
    funlockfile(stdout);
#endif
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, work, "one\n");
    pthread_create(&two, NULL, work, "two\n");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (ftrylockfile(stdout) == 0)
        funlockfile(stdout);
    return 0;
}
