// check: safe
// args: --longest-input 2
// assumption: writing, closing and removing files succeeds (--may-fail files)
// assumption: threads can always be created (--may-fail create)
// assumption: no line, word or block that the program reads is longer than 2 bytes
// headline explicit: safe
// Two threads count the words of a file each; lines may be anything of at most two bytes.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int words;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *path)
{
    char line[128], *rest;
    int mine = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    if (fgets(line, sizeof line, file))
        for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
            mine++;
    fclose(file);
    pthread_mutex_lock(&lock);
    words += mine;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, count, "a");
    pthread_create(&second, NULL, count, "b");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(words <= 2);
    return 0;
}
