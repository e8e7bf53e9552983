// check: safe
// A stream has a lock: what two threads print stays whole, in either order.
// check -DORDER: unsafe assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *journal;

static void *note(void *name) {
    fprintf(journal, "<%s>", (char *)name);
    return NULL;
}

int main(void) {
    char *text;
    size_t length;
    pthread_t first, second;
    journal = open_memstream(&text, &length);
    if (!journal)
        return 1;
    pthread_create(&first, NULL, note, "ab");
    pthread_create(&second, NULL, note, "cd");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    fclose(journal);
#ifdef ORDER
    assert(strcmp(text, "<ab><cd>") == 0); //~ violation
#else
    assert(strcmp(text, "<ab><cd>") == 0 || strcmp(text, "<cd><ab>") == 0);
#endif
    free(text);
    return 0;
}
