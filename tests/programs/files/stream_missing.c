// check: unsafe memory
// A file that cannot be opened has no stream.
// lazy: skip the lines that are read are too long for the bounds
#include <stdio.h>
#include <string.h>
#include <pthread.h>

static int lines;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *path)
{
    char line[16];
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file)) { //~ violation
        pthread_mutex_lock(&lock);
        lines++;
        pthread_mutex_unlock(&lock);
    }
    fclose(file); //~ violation
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, count, "a");
    pthread_create(&second, NULL, count, "b");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
