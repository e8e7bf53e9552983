// check: safe
// A stream in memory keeps what is written to it, and tells of it when it is flushed.
// check -DSTALE: unsafe memory
// Writing more moves the buffer: the pointer that was told earlier is stale.
// check -DUNTOLD: unsafe assertion
// Without a flush nobody was told.
// check -DLEAK: unsafe leak
// args: --property leak
// The buffer is the caller's, and stays when the stream is closed.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *build(void *number) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    fprintf(stream, "id=%d;", *(int *)number);
#ifdef UNTOLD
    assert(length == 5);
#endif
    fputs("x", stream);
    fputc('y', stream);
    fwrite("zz", 1, 2, stream);
    fflush(stream);
    assert(length == 9 && strcmp(text, "id=7;xyzz") == 0);
#ifdef STALE
    char *before = text;
    fprintf(stream, "more");
    assert(before[0] == 'i');
#endif
    assert(fprintf(stream, "%s", "!") == 1);
    fclose(stream);
    assert(length == 10 && text[9] == '!' && text[10] == 0);
    return text;
}

int main(void) {
    int number = 7;
    pthread_t thread;
    void *text;
    pthread_create(&thread, NULL, build, &number);
    pthread_join(thread, &text);
#ifndef LEAK
    free(text);
#endif
    return 0;
}
